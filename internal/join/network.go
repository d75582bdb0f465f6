package join

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"

	"github.com/conclave-rooms/conclave/internal/seat"
)

// networkHash is how a seat remembers the network it was taken from, so that one
// network cannot take all seats of a room. The hash has a key, because there are
// few enough addresses to try them all. It differs between rooms, so that it does
// not show who was in two of them. Join links are not counted,
// because the company decides how many it hands out.
func (s *Service) networkHash(v visitor, network string) string {
	if network == "" || v.Kind != seat.KindGuest && v.Kind != seat.KindUser {
		return ""
	}
	mac := hmac.New(sha256.New, s.Keys.Networks)
	mac.Write([]byte(v.Room.ID + "/" + network))
	return hex.EncodeToString(mac.Sum(nil)[:16])
}
