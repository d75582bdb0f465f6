package join

import (
	"encoding/base64"
	"encoding/json"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/room"
	"github.com/conclave-rooms/conclave/internal/schema"
	"github.com/conclave-rooms/conclave/internal/seat"
)

var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

func testKeys() Keys {
	return Keys{Client: []byte("a key of ours"), Upstream: []byte("the media server's")}
}

func testHolder() seat.Holder {
	return seat.Holder{Identity: "api_ada.k3v9x7q2", Kind: seat.KindToken, Name: "Ada", Role: api.RoleHost, Avatar: "a03"}
}

func TestATokenSaysWhoItIsFor(t *testing.T) {
	t.Parallel()
	r := room.Room{ID: "room-1", Settings: usual()}
	text, err := testKeys().mint(r, testHolder(), "", noon, TokenLife)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		after   time.Duration
		expired bool
	}{{0, false}, {TokenLife - time.Second, false}, {TokenLife, true}, {time.Hour, true}} {
		b, err := testKeys().read(text, noon.Add(c.after))
		if err != nil || b.Expired != c.expired || b.Identity != "api_ada.k3v9x7q2" || b.RoomID != "room-1" || b.Name != "Ada" || *b.Seat != (seatClaim{seat.KindToken, api.RoleHost, "a03"}) {
			t.Errorf("after %v: %+v, %v; want expired %v", c.after, b, err, c.expired)
		}
	}
}

func TestTokensThatWereNotIssuedHereAreRefused(t *testing.T) {
	t.Parallel()
	r := room.Room{ID: "room-1", Settings: usual()}
	good, _ := testKeys().mint(r, testHolder(), "", noon, TokenLife)
	forged, _ := Keys{Client: []byte("another key")}.mint(r, testHolder(), "", noon, TokenLife)
	parts := strings.Split(good, ".")
	none := base64.RawURLEncoding.EncodeToString([]byte(`{"alg":"none","typ":"JWT"}`)) + "." + parts[1] + "."
	for name, text := range map[string]string{"empty": "", "junk": "junk", "forged": forged, "unsigned": none, "cut": good[:len(good)-4]} {
		if b, err := testKeys().read(text, noon); err == nil {
			t.Errorf("%s: read as %+v", name, b)
		}
	}
	reissued, _ := Keys{Client: []byte("the media server's")}.mint(r, testHolder(), "", noon, TokenLife)
	if b, err := testKeys().read(reissued, noon); err != nil || b.Seat != nil {
		t.Errorf("a token the media server re-issued: %+v, %v; want one that makes no new seat", b, err)
	}
}

// A token contains only the rights of its holder in this one room.
func TestTheGrantNamesOneRoomAndNoAdministration(t *testing.T) {
	t.Parallel()
	webinar := room.Room{ID: "room-1", Settings: usual()}
	webinar.Settings.Type = room.TypeWebinar
	e := testHolder()
	e.Role = api.RoleParticipant
	text, _ := testKeys().mint(webinar, e, "", noon, TokenLife)
	body, _ := base64.RawURLEncoding.DecodeString(strings.Split(text, ".")[1])
	var got struct{ Video map[string]any }
	if err := json.Unmarshal(body, &got); err != nil {
		t.Fatal(err)
	}
	want := map[string]any{"room": "room-1", "roomJoin": true, "canPublish": false, "canSubscribe": true, "canPublishData": true}
	if len(got.Video) != len(want) {
		t.Errorf("the grant of a webinar's audience is %v, want %v", got.Video, want)
	}
	for k, v := range want {
		if got.Video[k] != v {
			t.Errorf("grant %s = %v, want %v", k, got.Video[k], v)
		}
	}
}

func TestIdentities(t *testing.T) {
	t.Parallel()
	for userID, want := range map[string]string{
		"ada":                   `^api_ada\.[0-9a-z]{8}$`,
		strings.Repeat("a", 64): `^api_a{64}\.[0-9a-z]{8}$`,
		"ada@example.com":       `^api_~h[0-9a-f]{32}\.[0-9a-z]{8}$`,
		"a.b":                   `^api_~h[0-9a-f]{32}\.[0-9a-z]{8}$`,
		"":                      `^api_~r[0-9a-z]{16}\.[0-9a-z]{8}$`,
	} {
		got := tokenIdentity(userID)
		if !regexp.MustCompile(want).MatchString(got) {
			t.Errorf("identity of user_id %q is %q, want %s", userID, got, want)
		}
	}
	person := func(s string) string { return s[:strings.LastIndex(s, ".")] }
	first, second := tokenIdentity("ada@example.com"), tokenIdentity("ada@example.com")
	if person(first) != person(second) {
		t.Error("two tokens with one user_id are two people")
	}
	if first == second {
		t.Error("two connections have one identity")
	}
}

// usual are the settings of a room for which none were given.
func usual() api.RoomSettings {
	s, err := room.NewSettings(room.TypeMeeting, schema.Filled(api.RoomSettingsUpdate{}))
	if err != nil {
		panic(err)
	}
	return s
}

// Without keys, no tokens are made or believed.
func TestWithoutKeysThereAreNoTokens(t *testing.T) {
	t.Parallel()
	if token, err := (Keys{}).mint(room.Room{ID: "r"}, testHolder(), "", noon, TokenLife); err == nil {
		t.Errorf("the token is %q", token)
	}
	token, err := testKeys().mint(room.Room{ID: "r"}, testHolder(), "", noon, TokenLife)
	if err != nil {
		t.Fatal(err)
	}
	if b, err := (Keys{}).read(token, noon); err == nil {
		t.Errorf("without keys, a token is read as %+v", b)
	}
}

func TestNoUserIDIsAnotherPerson(t *testing.T) {
	t.Parallel()
	for _, theirs := range []string{"", "ada@example.com", "Ö", "ada"} {
		person := seat.Person(tokenIdentity(theirs))
		for _, userID := range []string{strings.TrimPrefix(person, "api_"), strings.TrimPrefix(person, "api_~"), person} {
			if got := tokenPerson(userID); got == person && userID != theirs {
				t.Errorf("user_id %q is the person %s of user_id %q", userID, got, theirs)
			}
		}
	}
}
