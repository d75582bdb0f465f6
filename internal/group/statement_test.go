package group

import (
	"bytes"
	"crypto/ed25519"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/seat"
)

// signedStatement is a statement of this package with its key. The client's tests read the
// same file, and accept it.
type signedStatement struct {
	ServiceKey   string `json:"service_key"`
	SignatureKey string `json:"signature_key"`
	Statement    string `json:"statement"`
}

const statementFile = "../../web/client/src/strict/testdata/statement.json"

func sample(t *testing.T) (signedStatement, statement) {
	t.Helper()
	service := ed25519.NewKeyFromSeed(bytes.Repeat([]byte{1}, ed25519.SeedSize))
	signature := bytes.Repeat([]byte{2}, ed25519.PublicKeySize)
	held := seat.Seat{
		Holder: seat.Holder{Identity: "guest_ada.1", Name: `Ada <"& é`, Role: api.RoleParticipant},
		RoomID: "room", Place: seat.Place{BreakoutID: "breakout"}, Given: seat.Given{Cohost: true},
	}
	s := statementOf(held, "meeting", signature, noon)
	text, err := s.sign(service)
	if err != nil {
		t.Fatal(err)
	}
	public, _ := service.Public().(ed25519.PublicKey)
	return signedStatement{ServiceKey: encode(public), SignatureKey: encode(signature), Statement: text}, s
}

func TestStatementsAreWhatTheClientReads(t *testing.T) {
	t.Parallel()
	made, _ := sample(t)
	file, err := os.ReadFile(statementFile)
	if err != nil {
		t.Fatal(err)
	}
	var kept signedStatement
	if err := json.Unmarshal(file, &kept); err != nil {
		t.Fatal(err)
	}
	if made != kept {
		t.Errorf("%s holds another statement than\n%+v", statementFile, made)
	}
}

func TestAStatementSaysWhoTheDeviceIs(t *testing.T) {
	t.Parallel()
	made, said := sample(t)
	parts := strings.Split(made.Statement, ".")
	if len(parts) != 3 || parts[0] != "v1" {
		t.Fatalf("the statement is %s", made.Statement)
	}
	text, err := decode(parts[1])
	if err != nil {
		t.Fatal(err)
	}
	signature, err := decode(parts[2])
	if err != nil {
		t.Fatal(err)
	}
	key, err := decode(made.ServiceKey)
	if err != nil {
		t.Fatal(err)
	}
	if !ed25519.Verify(key, append([]byte("conclave statement v1:"), text...), signature) || ed25519.Verify(key, text, signature) {
		t.Error("the signature does not cover the prefix and the text")
	}
	var got map[string]any
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	want := map[string]any{
		"room": "room", "meeting": "meeting", "place": "breakout", "identity": "guest_ada.1", "name": `Ada <"& é`, "role": "host",
		"key": said.Key, "expires_at": "2026-05-05T12:00:00.000Z",
	}
	for name, value := range want {
		if got[name] != value {
			t.Errorf("%s is %v, want %v", name, got[name], value)
		}
	}
	if len(got) != len(want) || len(said.Key) != 43 {
		t.Errorf("the statement says %v", got)
	}
	outside := statementOf(seat.Seat{RoomID: "room"}, "", nil, noon)
	if outside.Place != nil || outside.Meeting != "" {
		t.Errorf("in the main room, before the meeting: %+v", outside)
	}
}

func TestMalformedBase64IsRefused(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"AB", "AA==", "A A", "A\nA", "A+A/", "é"} {
		if _, err := decode(text); err == nil {
			t.Errorf("%q was read", text)
		}
	}
}
