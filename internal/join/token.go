package join

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"regexp"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/id"
	"github.com/conclave-rooms/conclave/internal/room"
	"github.com/conclave-rooms/conclave/internal/seat"
)

// TokenLife is how long a media token may be used to connect
// (docs/reference/joining.md).
const TokenLife = 10 * time.Minute

// clientClaims is the token of a person's device. It has the shape of LiveKit's
// own tokens, so that every LiveKit client accepts it. The gate uses only the
// subject, the room and Seat.
type clientClaims struct {
	jwt.RegisteredClaims

	Name       string            `json:"name,omitempty"`
	Video      videoGrant        `json:"video"`
	Attributes map[string]string `json:"attributes,omitempty"`
	Seat       *seatClaim        `json:"conclave,omitempty"` // absent in tokens that the media server makes itself
}

// videoGrant is the part of LiveKit's grant with a person's rights. It never
// carries an administrator's rights.
type videoGrant struct {
	Room           string   `json:"room"`
	RoomJoin       bool     `json:"roomJoin"`
	CanPublish     bool     `json:"canPublish"`
	CanSubscribe   bool     `json:"canSubscribe"`
	CanPublishData bool     `json:"canPublishData"`
	Sources        []string `json:"canPublishSources,omitempty"`
}

// seatClaim describes the seat to which a token of the API leads.
type seatClaim struct {
	Kind   seat.Kind `json:"kind"`
	Role   api.Role  `json:"role"`
	Avatar string    `json:"avatar,omitempty"`
}

// Keys are the secrets with which media tokens are made and read, and networks hashed.
type Keys struct {
	Client   []byte // for the tokens of people's devices
	Upstream []byte // the media server's: it issues tokens anew to connected clients
	Networks []byte // for the hashes of networks
}

// errNoKey is the error of a service that was made without keys. With an empty
// key, anybody could make tokens that it accepts.
var errNoKey = errors.New("there is no key for media tokens")

// bearer is the person that a token names.
type bearer struct {
	Identity string
	RoomID   string
	Breakout string // whose media room it names; "" is the main one
	Name     string
	Expired  bool
	Life     time.Duration // the time until it expires
	Seat     *seatClaim    // nil: valid only for coming back
}

// mint makes the token of a person for one media room.
func (k Keys) mint(r room.Room, h seat.Holder, breakoutID string, now time.Time, life time.Duration) (string, error) {
	if len(k.Client) == 0 {
		return "", errNoKey
	}
	may := seat.Rights(r, h.Role, breakoutID != "")
	c := clientClaims{
		RegisteredClaims: jwt.RegisteredClaims{
			Issuer: "conclave", Subject: h.Identity,
			NotBefore: jwt.NewNumericDate(now.Add(-time.Minute)), // clients whose clock is behind ours
			ExpiresAt: jwt.NewNumericDate(now.Add(life)),
		},
		Name: h.Name,
		Video: videoGrant{
			Room: seat.MediaRoom(r.ID, breakoutID), RoomJoin: true, CanPublish: may.Microphone, CanSubscribe: true, CanPublishData: may.Chat || may.Reactions,
		},
		Attributes: map[string]string{"role": string(h.Role)},
		Seat:       &seatClaim{Kind: h.Kind, Role: h.Role, Avatar: h.Avatar},
	}
	if h.Avatar != "" {
		c.Attributes["avatar"] = h.Avatar
	}
	for source, allowed := range map[string]bool{"microphone": may.Microphone, "camera": may.Camera} {
		if allowed {
			c.Video.Sources = append(c.Video.Sources, source)
		}
	}
	if may.ScreenShare {
		c.Video.Sources = append(c.Video.Sources, "screen_share", "screen_share_audio")
	}
	return jwt.NewWithClaims(jwt.SigningMethodHS256, c).SignedString(k.Client) //nolint:wrapcheck // fails only for a key of the wrong type
}

// read checks a token's signature and says who it is for. An expired token is
// read too: people who are in may come back with it.
func (k Keys) read(text string, now time.Time) (bearer, error) {
	c, err := k.parse(text, k.Client)
	ours := err == nil
	if err != nil {
		if c, err = k.parse(text, k.Upstream); err != nil {
			return bearer{}, err
		}
	}
	if c.Subject == "" || c.Video.Room == "" || c.ExpiresAt == nil {
		return bearer{}, errors.New("the token lacks a subject, a room or an expiry")
	}
	roomID, breakoutID := seat.SplitMediaRoom(c.Video.Room)
	b := bearer{Identity: c.Subject, RoomID: roomID, Breakout: breakoutID, Name: c.Name, Expired: !now.Before(c.ExpiresAt.Time), Life: c.ExpiresAt.Sub(now)}
	if ours {
		b.Seat = c.Seat
	}
	return b, nil
}

func (Keys) parse(text string, key []byte) (clientClaims, error) {
	var c clientClaims
	if len(key) == 0 {
		return c, errNoKey
	}
	_, err := jwt.ParseWithClaims(text, &c, func(*jwt.Token) (any, error) { return key, nil },
		jwt.WithValidMethods([]string{"HS256"}), jwt.WithoutClaimsValidation())
	return c, err //nolint:wrapcheck // the text never leaves this package
}

// plainUserID matches a user_id that can stand in an identity unchanged.
var plainUserID = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

// tokenIdentity makes the identity of a person who joins by a token of the API.
// The part before the dot is the person, the same for the same user_id in this
// workspace. The part after it is this connection.
func tokenIdentity(userID string) string {
	person := tokenPerson(userID)
	if userID == "" {
		person = tokenPrefix + "~r" + id.Random(16, id.Lower)
	}
	return person + "." + suffix()
}

const tokenPrefix = "api_"

// tokenPerson is the person behind a user_id. What the service makes itself, a hash
// here and a random text above, begins with a character that no plain user_id has:
// everybody in a meeting sees the others' identities, and one that is used as a
// user_id must not be the same person.
func tokenPerson(userID string) string {
	if plainUserID.MatchString(userID) {
		return tokenPrefix + userID
	}
	sum := sha256.Sum256([]byte(userID))
	return tokenPrefix + "~h" + hex.EncodeToString(sum[:16])
}

// guestIdentity makes the identity of a person without an account. guest is the
// join link's id, or random.
func guestIdentity(guest string) string { return guestPerson(guest) + "." + suffix() }

// guestPerson is the person behind the identities of a guest.
func guestPerson(guest string) string { return "guest_" + guest }

// userIdentity makes the identity of an account's connection: the part before
// the dot is the same on every device of the account.
func userIdentity(accountID string) string { return seat.UserPerson(accountID) + "." + suffix() }

func suffix() string { return id.Random(8, id.Lower) }
