package live_test

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/actor"
	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/db/dbtest"
	"github.com/conclave-rooms/conclave/internal/event"
	"github.com/conclave-rooms/conclave/internal/media"
	"github.com/conclave-rooms/conclave/internal/media/fake"
	"github.com/conclave-rooms/conclave/internal/room"
	"github.com/conclave-rooms/conclave/internal/seat"
	"github.com/conclave-rooms/conclave/internal/server/servertest"
)

// restless is a media server that runs a function each time it answers.
type restless struct {
	*fake.Server

	during atomic.Pointer[func()]
}

func (m *restless) Rooms(ctx context.Context, names ...string) ([]media.Room, error) {
	if f := m.during.Load(); f != nil {
		(*f)()
	}
	return m.Server.Rooms(ctx, names...)
}

// changing makes something that plans depend on change in a room, during every
// Sync from now on.
func (m *restless) changing(t *testing.T, o one) {
	names := 0
	change := func() {
		names++
		err := o.DB().Write(t.Context(), func(tx *db.Tx) error {
			_, err := tx.Exec(t.Context(), `UPDATE room SET name = $1 WHERE id = $2`, fmt.Sprintf("Room %d", names), o.roomID)
			return err
		})
		if err != nil {
			t.Error(err)
		}
	}
	m.during.Store(&change)
}

// Something changes in a room during every Sync, so that no Sync can write what
// it found. Still, a person who was taken off the stage stops speaking, and a
// person who gave up the seat and stays connected is disconnected.
func TestRightsEndInARoomThatAlwaysChanges(t *testing.T) {
	t.Parallel()
	ada := withAdaIn(t, servertest.Start(t, dbtest.Config(t, db.SQLite), servertest.Options{}), api.RoomSettingsUpdate{}, room.TypeWebinar)
	ctx := t.Context()
	if err := ada.Live.SetStage(ctx, actor.ByKey(ada.p, ada.roomID), ada.identity, true); err != nil {
		t.Fatal(err)
	}
	held, err := ada.Joins.Trade(ctx, ada.token)
	if err != nil {
		t.Fatal(err)
	}
	ada.Settle()
	if grant, err := ada.Media.Grant(ada.roomID, ada.identity); err != nil || len(grant.PublishSources) == 0 {
		t.Fatalf("on the stage Ada may publish %v (%v)", grant.PublishSources, err)
	}
	m := &restless{Server: ada.Media}
	ada.Live.Media = m
	m.changing(t, ada)
	ada.connect(t, ada.tokenFor(t, "Ben")) // there is something to write

	if err := ada.Live.SetStage(ctx, actor.ByKey(ada.p, ada.roomID), ada.identity, false); err != nil {
		t.Fatal(err)
	}
	ada.Settle()
	if grant, err := ada.Media.Grant(ada.roomID, ada.identity); err != nil || len(grant.PublishSources) > 0 {
		t.Errorf("off the stage Ada may publish %v (%v)", grant.PublishSources, err)
	}
	if _, err := ada.Live.Leave(ctx, held.Ticket); err != nil {
		t.Fatal(err)
	}
	ada.Settle()
	if grant, err := ada.Media.Grant(ada.roomID, ada.identity); err == nil {
		t.Errorf("Ada, who has left, is connected and may publish %v", grant.PublishSources)
	}
}

// A person asks the gate for another connection during every Sync. Other people
// still join, and this person stays in.
func TestAskingToConnectDoesNotStopSyncs(t *testing.T) {
	t.Parallel()
	ada := withAda(t, servertest.Start(t, dbtest.Config(t, db.SQLite), servertest.Options{}), api.RoomSettingsUpdate{})
	m := &restless{Server: ada.Media}
	ada.Live.Media = m
	ask := func() {
		ada.Pass(time.Millisecond)
		if _, _, err := ada.Joins.LetThrough(t.Context(), ada.token); err != nil {
			t.Error(err)
		}
	}
	m.during.Store(&ask)
	ada.connect(t, ada.tokenFor(t, "Ben"))
	if people := ada.people(t); len(people) != 2 {
		t.Errorf("the list is %v, want Ada and Ben", people)
	}
}

// A person knocks during every Sync. This changes the room and nothing that a
// Sync depends on, so people who come in still join.
func TestKnockingDoesNotStopSyncs(t *testing.T) {
	t.Parallel()
	ada := withAda(t, servertest.Start(t, dbtest.Config(t, db.SQLite), servertest.Options{}), api.RoomSettingsUpdate{Admission: api.Set("knock")})
	m := &restless{Server: ada.Media}
	ada.Live.Media = m
	knocking := 0
	knock := func() {
		knocking++
		err := ada.DB().Write(t.Context(), func(tx *db.Tx) error {
			r, err := room.ByID(t.Context(), tx, ada.roomID)
			if err != nil {
				return err
			}
			err = seat.Save(t.Context(), tx, seat.Seat{
				RoomID:      r.ID,
				WorkspaceID: r.WorkspaceID,
				Holder:      seat.Holder{Identity: fmt.Sprintf("guest_%d.x", knocking), Kind: seat.KindGuest, Name: "Guest", Role: api.RoleParticipant, TicketHash: seat.TicketHash(strconv.Itoa(knocking))},
				Status:      seat.Waiting,
				Connection:  seat.Connection{LetThroughAt: ada.Now()},
				CreatedAt:   ada.Now(),
				Line:        seat.Line{WaitingSince: ada.Now(), AwayAt: ada.Now()},
			})
			if err != nil {
				return err
			}
			return ada.Stream.Changed(t.Context(), tx, r.ID)
		})
		if err != nil {
			t.Error(err)
		}
	}
	m.during.Store(&knock)
	ada.connect(t, ada.tokenFor(t, "Ben"))
	if people := ada.people(t); len(people) != 2 {
		t.Errorf("the list is %v, want Ada and Ben", people)
	}
	if knocking == 0 {
		t.Error("nobody knocked")
	}
}

// The gate lets a person whose connection is gone through again, after a Sync has
// read the seats and before it writes. The person is on the way, and does not
// count as having left.
func TestReconnectingDuringASync(t *testing.T) {
	t.Parallel()
	dbtest.EachConfig(t, func(t *testing.T, where db.Config) {
		ada := withAda(t, servertest.Start(t, where, servertest.Options{}), api.RoomSettingsUpdate{})
		m := &restless{Server: ada.Media}
		ada.Live.Media = m
		ada.Advance(time.Minute)
		ada.Media.LoseHints(true)
		if err := ada.Media.Vanish(ada.roomID, ada.identity); err != nil {
			t.Fatal(err)
		}
		ada.people(t) // a Sync misses her
		ada.Live.Settle()
		ada.Advance(time.Second) // longer than a hint takes
		var upstream string
		back := func() {
			m.during.Store(nil)
			var err error
			if upstream, _, err = ada.Joins.LetThrough(t.Context(), ada.token); err != nil {
				t.Error(err)
			}
		}
		m.during.Store(&back)
		if people := ada.people(t); len(people) != 1 {
			t.Errorf("while Ada comes back, the list is %v", people)
		}
		if _, err := ada.Media.Connect(upstream); err != nil {
			t.Fatal(err)
		}
		ada.people(t)
		if slices.ContainsFunc(ada.EventLog(), func(e event.Event) bool { return e.Type == api.EventParticipantLeft }) {
			t.Error("Ada was on the way back, and an event says that she left")
		}
	})
}

// A person is on the stage while connected. If they were gone for longer than a
// reload takes, the gate lets them through with the rights of the audience, even
// before a Sync.
func TestTheStageEndsAfterALongAbsence(t *testing.T) {
	t.Parallel()
	for away, sources := range map[time.Duration]int{14 * time.Second: 4, 16 * time.Second: 0} {
		t.Run(away.String(), func(t *testing.T) {
			t.Parallel()
			ada := withAdaIn(t, servertest.Start(t, dbtest.Config(t, db.SQLite), servertest.Options{}), api.RoomSettingsUpdate{}, room.TypeWebinar)
			ada.connect(t, ada.tokenFor(t, "Ben")) // or the meeting would end
			if err := ada.Live.SetStage(t.Context(), actor.ByKey(ada.p, ada.roomID), ada.identity, true); err != nil {
				t.Fatal(err)
			}
			ada.Settle()
			ada.Advance(time.Minute)
			if err := ada.Media.Vanish(ada.roomID, ada.identity); err != nil {
				t.Fatal(err)
			}
			ada.Settle()
			ada.Advance(away)
			ada.Live.Settle() // no Sync runs any more
			ada.connect(t, ada.token)
			if grant, err := ada.Media.Grant(ada.roomID, ada.identity); err != nil || len(grant.PublishSources) != sources {
				t.Errorf("gone for %v Ada may publish %v (%v)", away, grant.PublishSources, err)
			}
		})
	}
}
