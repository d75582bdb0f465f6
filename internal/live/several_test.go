package live_test

import (
	"context"
	"errors"
	"sync"
	"testing"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/actor"
	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/db/dbtest"
	"github.com/conclave-rooms/conclave/internal/fault"
	"github.com/conclave-rooms/conclave/internal/media"
	"github.com/conclave-rooms/conclave/internal/media/fake"
	"github.com/conclave-rooms/conclave/internal/server/servertest"
)

// meeting is a media server that answers no request about a person before there are two.
type meeting struct {
	*fake.Server

	both    sync.WaitGroup
	failing string        // muting this person fails, after the other one was muted
	other   chan struct{} // closed when the other one is muted
}

func newMeeting(server *fake.Server) *meeting {
	m := &meeting{Server: server, other: make(chan struct{})}
	m.both.Add(2)
	return m
}

func (m *meeting) wait() { m.both.Done(); m.both.Wait() }

func (m *meeting) MuteTrack(ctx context.Context, name, identity, trackID string, muted bool) error {
	m.wait()
	switch m.failing {
	case "":
	case identity:
		<-m.other
		return errors.New("the media server is gone")
	default:
		defer close(m.other)
	}
	return m.Server.MuteTrack(ctx, name, identity, trackID, muted)
}

func (m *meeting) UpdateGrant(ctx context.Context, g media.Grant) error {
	m.wait()
	return m.Server.UpdateGrant(ctx, g)
}

// withAdaAndBea is a meeting of two people with open microphones.
func withAdaAndBea(t *testing.T) (ada one, bea string) {
	t.Helper()
	ada = withAda(t, servertest.Start(t, dbtest.Config(t, db.SQLite), servertest.Options{}), api.RoomSettingsUpdate{})
	ada.connect(t, ada.tokenFor(t, "Bea"))
	for _, p := range ada.people(t) {
		if p.Identity != ada.identity {
			bea = p.Identity
		}
		if _, err := ada.Media.Publish(ada.roomID, p.Identity, media.Microphone, false); err != nil {
			t.Fatal(err)
		}
	}
	ada.people(t)
	ada.Settle()
	return ada, bea
}

// The media server is asked about several people at the same time, because a room may
// have a thousand.
func TestTheMediaServerIsAskedAboutSeveralPeopleAtOnce(t *testing.T) {
	t.Parallel()
	ada, _ := withAdaAndBea(t)
	ada.Live.Media = newMeeting(ada.Media)
	if err := ada.Live.MuteAll(t.Context(), actor.ByKey(ada.p, ada.roomID)); err != nil {
		t.Fatal(err)
	}
	for _, p := range ada.people(t) {
		if !p.AudioMuted {
			t.Errorf("%s is not muted", p.Name)
		}
	}
	ada.Live.Media = newMeeting(ada.Media)
	ada.set(t, api.RoomSettingsUpdate{Chat: api.Set(false), Reactions: api.Set(false)})
	ada.Settle()
	for _, p := range ada.people(t) {
		if grant, err := ada.Media.Grant(ada.roomID, p.Identity); err != nil || grant.PublishData {
			t.Errorf("%s may still send messages (%v)", p.Name, err)
		}
	}
}

// The media server cannot mute Ada. Bea is muted, so she learns that a host did it, and
// the host learns that somebody is not muted.
func TestPeopleWhoWereMutedAreToldWhenSomebodyElseCouldNotBe(t *testing.T) {
	t.Parallel()
	ada, bea := withAdaAndBea(t)
	failing := newMeeting(ada.Media)
	failing.failing = ada.identity
	ada.Live.Media = failing
	err := ada.Live.MuteAll(t.Context(), actor.ByKey(ada.p, ada.roomID))
	if !fault.HasCode(err, api.CodeMediaUnavailable) {
		t.Errorf("the request ends with %v, want media_unavailable", err)
	}
	ada.Live.Media = ada.Media
	for _, p := range ada.people(t) {
		if want := p.Identity == bea; p.AudioMuted != want {
			t.Errorf("%s is muted: %v, want %v", p.Name, p.AudioMuted, want)
		}
	}
	if told := ada.Count("seat WHERE muted_at IS NOT NULL AND identity = '" + bea + "'"); told != 1 {
		t.Error("it is not noted that a host muted Bea")
	}
}
