package join

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"

	"github.com/conclave-rooms/conclave/internal/seat"
)

// networkHash is how a seat remembers the network it was taken from, so that
// one network cannot take all seats of a room. There are few enough addresses
// to try them all, so the hash has a key; and it is another one in each room,
// so that it does not tell who was in two. People with join links
// are as many as the company invited, and count for no network.
func (s *Service) networkHash(v visitor, network string) string {
	if network == "" || v.Kind != seat.KindGuest && v.Kind != seat.KindUser {
		return ""
	}
	mac := hmac.New(sha256.New, s.networks)
	mac.Write([]byte(v.Room.ID + "/" + network))
	return hex.EncodeToString(mac.Sum(nil)[:16])
}
