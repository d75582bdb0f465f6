package group

import (
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/seat"
)

const (
	// statementFor is how long a device may be added by a statement.
	statementFor = 24 * time.Hour
	// statementPrefix begins what is signed, so that no other signature of the key
	// can be taken for a statement.
	statementPrefix = "conclave statement v1:"
)

// statement says which person and device a member's signature key belongs to
// (docs/reference/meeting-protocol.md).
type statement struct {
	Room      string   `json:"room"`
	Meeting   string   `json:"meeting"`
	Place     *string  `json:"place"`
	Identity  string   `json:"identity"`
	Name      string   `json:"name"`
	Role      api.Role `json:"role"`
	Key       string   `json:"key"`
	ExpiresAt api.Time `json:"expires_at"`
}

// statementOf states that the device of a seat has a signature key. The meeting is ""
// when none has begun.
func statementOf(held seat.Seat, meetingID string, signatureKey []byte, now time.Time) statement {
	return statement{
		Room: held.RoomID, Meeting: meetingID, Place: api.TextOrNull(held.BreakoutID), Identity: held.Identity, Name: held.Name,
		Role: held.RoleNow(), Key: digest(signatureKey), ExpiresAt: api.At(now.Add(statementFor)),
	}
}

// sign writes a statement as devices check it.
func (s statement) sign(key ed25519.PrivateKey) (string, error) {
	text, err := json.Marshal(s)
	if err != nil {
		return "", fmt.Errorf("write a statement: %w", err)
	}
	signature := ed25519.Sign(key, append([]byte(statementPrefix), text...))
	return "v1." + encode(text) + "." + encode(signature), nil
}

// publicKey is the key by which devices check statements.
func (s *Service) publicKey() string {
	public, _ := s.Key.Public().(ed25519.PublicKey)
	return encode(public)
}

func digest(data []byte) string {
	sum := sha256.Sum256(data)
	return encode(sum[:])
}

func encode(data []byte) string { return base64.RawURLEncoding.EncodeToString(data) }

// decode reads base64url without padding. It accepts only one spelling of each value.
func decode(text string) ([]byte, error) {
	if strings.ContainsAny(text, "\r\n") { // which the standard library skips
		return nil, errors.New("base64url has no line breaks")
	}
	return base64.RawURLEncoding.Strict().DecodeString(text) //nolint:wrapcheck // the callers say which parameter it is
}
