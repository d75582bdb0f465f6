package fake_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/conclave-rooms/conclave/internal/media"
	"github.com/conclave-rooms/conclave/internal/media/fake"
	"github.com/conclave-rooms/conclave/internal/media/mediatest"
)

// player is a person on the fake server.
type player struct {
	server  *fake.Server
	grant   media.Grant
	session string
	gone    chan struct{}
}

func (p *player) SessionID() string { return p.session }

func (p *player) Publish(_ context.Context, source media.Source) (string, error) {
	return p.server.Publish(p.grant.Room, p.grant.Identity, source, false)
}

func (p *player) SetAttributes(attributes map[string]string) {
	_ = p.server.SetOwnAttributes(p.grant.Room, p.grant.Identity, attributes)
}

func (p *player) Disconnect() { _ = p.server.Leave(p.grant.Room, p.grant.Identity) }

// Gone polls the list of participants: the fake does not notify people who were
// removed.
func (p *player) Gone() <-chan struct{} {
	people, _ := p.server.Participants(context.Background(), p.grant.Room)
	for _, in := range people {
		if in.SessionID == p.session {
			return p.gone
		}
	}
	return closed()
}

func closed() <-chan struct{} {
	ch := make(chan struct{})
	close(ch)
	return ch
}

func TestFake(t *testing.T) {
	t.Parallel()
	server := fake.New(time.Now)
	by := func(enter func(token string) (string, error)) func(context.Context, string) (mediatest.Person, error) {
		return func(_ context.Context, token string) (mediatest.Person, error) {
			grant, err := server.Open(token)
			if err != nil {
				return nil, err
			}
			session, err := enter(token)
			return &player{server: server, grant: grant, session: session, gone: make(chan struct{})}, err
		}
	}
	mediatest.Exercise(t, mediatest.Subject{Server: server, Enter: by(server.Connect), Arrive: by(server.Arrive)})
}

func TestTheFakeLosesHintsAndRestarts(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC)
	s := fake.New(func() time.Time { return now })
	room, err := s.EnsureRoom(t.Context(), "r")
	if err != nil {
		t.Fatal(err)
	}
	<-s.Hints()
	grant := media.Grant{Room: "r", Identity: "a", TTL: time.Minute}
	if _, err := s.Join(grant); err != nil {
		t.Fatal(err)
	}
	people, err := s.Participants(t.Context(), "r")
	if err != nil || len(people) != 1 || !people[0].JoinedAt.Equal(now) {
		t.Errorf("in the room: %+v, %v", people, err)
	}
	if h := <-s.Hints(); h.Kind != media.HintJoined {
		t.Errorf("hint: %+v", h)
	}

	s.LoseHints(true)
	if err := s.Vanish("r", "a"); err != nil {
		t.Fatal(err)
	}
	s.LoseHints(false)
	select {
	case h := <-s.Hints():
		t.Errorf("a hint that should be lost: %+v", h)
	default:
	}

	s.Restart()
	if _, err := s.Participants(t.Context(), "r"); !errors.Is(err, media.ErrNotFound) {
		t.Errorf("after a restart: %v", err)
	}
	again, err := s.EnsureRoom(t.Context(), "r")
	if err != nil || again.Generation == room.Generation {
		t.Errorf("after a restart: %+v, %v; was %+v", again, err, room)
	}

	down := errors.New("down")
	s.Down(down)
	if err := s.Ready(t.Context()); !errors.Is(err, down) {
		t.Errorf("ready: %v", err)
	}
	s.Down(nil)
	if err := s.Ready(t.Context()); err != nil {
		t.Errorf("ready again: %v", err)
	}
}

// When nobody reads, the oldest hints are dropped and the server does not
// block.
func TestHintsNeverBlock(t *testing.T) {
	t.Parallel()
	q := media.NewHintQueue()
	var writers sync.WaitGroup
	for range 4 {
		writers.Go(func() {
			for range 1000 {
				q.Put(media.Hint{Kind: media.HintOther})
			}
		})
	}
	writers.Wait()
	q.Put(media.Hint{Kind: media.HintJoined})
	var last media.Hint
	for len(q.C()) > 0 {
		last = <-q.C()
	}
	if last.Kind != media.HintJoined {
		t.Errorf("the newest hint is %+v", last)
	}
}
