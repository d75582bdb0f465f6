package recording

import (
	"crypto/ecdh"
	"encoding/base64"
	"fmt"
	"time"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/auth"
	"github.com/conclave-rooms/conclave/internal/fault"
)

// maxDevices is how many devices an account may have.
const maxDevices = 50

// usedEvery is how precisely the last use of a device is known.
const usedEvery = time.Hour

// Device is a browser of a member for which the keys of end_to_end recordings can be
// wrapped. It has a private key that cannot be exported.
type Device struct {
	ID         string
	AccountID  string
	Name       string
	PublicKey  string // P-256, uncompressed, base64url
	CreatedAt  time.Time
	LastUsedAt time.Time
}

// Wrap is the key of a recording, encrypted for a device (docs/reference/recordings.md).
type Wrap struct {
	DeviceID   string
	Enc        string // the encapsulated key, base64url
	Ciphertext string // base64url
}

// checkPoint refuses a text that is not a point of P-256.
func checkPoint(param, text string) error {
	plain, err := base64.RawURLEncoding.Strict().DecodeString(text)
	if err == nil {
		_, err = ecdh.P256().NewPublicKey(plain)
	}
	if err != nil {
		return fault.BadParameter(param, param+" must be an uncompressed point of P-256, 65 bytes in base64url, without padding.")
	}
	return nil
}

// checkWraps refuses wraps that no device could open. wrong says which fields are refused
// anyway.
func checkWraps(wraps []Wrap, wrong func(param string) bool) error {
	var all []fault.Field
	for i, w := range wraps {
		param := fmt.Sprintf("wraps[%d].enc", i)
		if w.Enc == "" || wrong(param) { // the schema refuses it
			continue
		}
		if f, refused := fault.As(checkPoint(param, w.Enc)); refused {
			all = append(all, f.Fields...)
		}
	}
	if len(all) > 0 {
		return fault.Parameters(all)
	}
	return nil
}

// takesWraps refuses wraps for a recording whose key the service has itself.
func (r Recording) takesWraps() error {
	if r.Protection != EndToEnd {
		return fault.BadParameter("wraps", "The key of this recording is not wrapped: it was made with the protection workspace.")
	}
	return nil
}

// mayRegister refuses a device when the account has reached the limit.
func mayRegister(devices int) error {
	if devices >= maxDevices {
		return fault.Conflicting(api.CodeLimitReached, fmt.Sprintf("An account has at most %d devices. Revoke one that is not used any more.", maxDevices))
	}
	return nil
}

// usedAt returns the time of last use to record for a device that is used now; false
// when the recorded time is recent enough.
func (d Device) usedAt(now time.Time) (time.Time, bool) {
	return now, !now.Before(d.LastUsedAt.Add(usedEvery))
}

// MemberDevice is a device of a member of a workspace.
type MemberDevice struct {
	Device

	Owner      string // the member's name, or their address
	managesAll bool   // the member manages all rooms of the workspace
}

// openedOn returns those devices whose owners may see the recording.
func (r Recording) openedOn(devices []MemberDevice) []MemberDevice {
	var seen []MemberDevice
	for _, d := range devices {
		p := auth.Principal{WorkspaceID: r.WorkspaceID, AccountID: d.AccountID, ManagesAll: d.managesAll, Session: true}
		if r.SeenBy(p) {
			seen = append(seen, d)
		}
	}
	return seen
}

// forDevices returns the wraps for the given devices, one each. It leaves out devices
// that were revoked, or whose owner was removed, after their wrap was made.
func forDevices(wraps []Wrap, devices []MemberDevice) []Wrap {
	waiting := make(map[string]bool, len(devices))
	for _, d := range devices {
		waiting[d.ID] = true
	}
	var kept []Wrap
	for _, w := range wraps {
		if waiting[w.DeviceID] {
			waiting[w.DeviceID] = false
			kept = append(kept, w)
		}
	}
	return kept
}
