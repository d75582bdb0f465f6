package probe

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/fault"
	"github.com/conclave-rooms/conclave/internal/id"
	"github.com/conclave-rooms/conclave/internal/join"
	"github.com/conclave-rooms/conclave/internal/media"
)

const (
	// TokenLife is how long a test may begin connections. A page tries at most five
	// ways, and gives each ten seconds.
	TokenLife = time.Minute
	// ConnectionLife is how long one connection may last. A page ends each as soon as
	// it knows the way.
	ConnectionLife = 20 * time.Second
	// MostAtOnce is how many connections of tests a node lets in at the same time.
	MostAtOnce = 50

	closeWithin = 5 * time.Second // a media room without people is forgotten later in any case
)

// Service hands out connection tests and lets their connections through the gate.
type Service struct {
	Media     media.Server
	Now       func() time.Time
	Later     func(d time.Duration, f func()) // calls f after d has passed on the clock of Now
	Logger    *slog.Logger
	PublicURL string
	Key       []byte // signs the tokens; the same on every node
	// MayCome refuses visitors whom the room neither lets in nor lets wait.
	MayCome func(ctx context.Context, visit join.Visit, p join.Proofs) error
	// SignedIn refuses a session that belongs to no account.
	SignedIn func(ctx context.Context, session string) error
	// Cut ends a connection at the gate.
	Cut func(identity string)

	mu      sync.Mutex
	running slots
}

// Connection is a connection of a test that may go through the gate now.
type Connection struct {
	Identity string
	Room     string // its media room
	Token    string // for the media server
	Release  func() // called once when the connection is over
}

// Begin makes a token for a connection test, for a visitor of a room or, without a
// room, for a person who is signed in.
func (s *Service) Begin(ctx context.Context, visit *join.Visit, p join.Proofs) (Test, error) {
	var err error
	if visit == nil {
		err = s.SignedIn(ctx, p.Session)
	} else {
		err = s.MayCome(ctx, *visit, p)
	}
	if err != nil {
		return Test{}, err
	}
	token, err := sign(s.Key, "test_"+id.Random(20, id.Lower), s.Now().Add(TokenLife))
	if err != nil {
		return Test{}, fmt.Errorf("sign the token of a connection test: %w", err)
	}
	return Test{Object: "connection_test", ServerURL: "ws" + strings.TrimPrefix(s.PublicURL, "http"), Token: token, ExpiresIn: int(TokenLife / time.Second)}, nil
}

// Whose returns the name of the test that a token is for; false when the token is not
// for a connection test.
func (s *Service) Whose(token string) (name string, ok bool) {
	name, _, ok = read(s.Key, token, s.Now())
	return name, ok
}

// Check says whether LetThrough would let a token of a test in from a network, and
// changes nothing.
func (s *Service) Check(token, network string) error {
	if _, expired, ok := read(s.Key, token, s.Now()); !ok || expired {
		return fault.New(fault.Unauthenticated, api.CodeTokenInvalid, "This connection test is over. Begin a new one.")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.full(network)
}

// LetThrough lets one connection of a test in, into a media room of its own. network
// is where it comes from; "" where limits are off.
func (s *Service) LetThrough(ctx context.Context, token, network string) (Connection, error) {
	if err := s.Check(token, network); err != nil {
		return Connection{}, err
	}
	leave, err := s.enter(network)
	if err != nil {
		return Connection{}, err
	}
	name := "connection-test-" + id.Random(20, id.Lower)
	if _, err := s.Media.EnsureRoom(ctx, name); err != nil {
		leave()
		return Connection{}, fault.Down(api.CodeServiceUnavailable, "The media server cannot be reached right now. Try again in a moment.", time.Second, err)
	}
	upstream, err := s.Media.MintToken(media.Grant{Room: name, Identity: name, TTL: TokenLife})
	if err != nil {
		leave()
		return Connection{}, err
	}
	s.Later(ConnectionLife, func() { s.Cut(name) })
	return Connection{Identity: name, Room: name, Token: upstream, Release: func() {
		leave()
		s.forget(name)
	}}, nil
}

// enter counts a connection; the function that it returns stops counting it.
func (s *Service) enter(network string) (leave func(), err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.full(network); err != nil {
		return nil, err
	}
	s.running.take(network)
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.running.free(network)
	}, nil
}

// full refuses one more connection from a network when there are too many, in
// all or from this network.
func (s *Service) full(network string) error {
	var sentence string
	switch {
	case s.running.full():
		sentence = "Many connection tests are running. Try again in a moment."
	case s.running.used(network):
		sentence = "Many connection tests from your network are running. Try again in a moment."
	default:
		return nil
	}
	refusal := fault.New(fault.RateLimited, api.CodeRateLimited, sentence)
	refusal.RetryAfter = ConnectionLife
	return refusal
}

// forget closes the media room of a connection that is over.
func (s *Service) forget(room string) {
	ctx, cancel := context.WithTimeout(context.Background(), closeWithin)
	defer cancel()
	if err := s.Media.CloseRoom(ctx, room); err != nil {
		s.Logger.Warn("the media room of a connection test could not be closed; the media server forgets it later", "error", err)
	}
}
