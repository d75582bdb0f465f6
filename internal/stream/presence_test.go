package stream

import (
	"context"
	"fmt"
	"log/slog"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/db/dbtest"
	"github.com/conclave-rooms/conclave/internal/notify"
	"github.com/conclave-rooms/conclave/internal/seat"
)

const testRoom = "r"

// line is a service with people who wait before one room.
type line struct {
	*Service

	t   *testing.T
	now time.Time
}

func newLine(t *testing.T, d *db.DB, people int) *line {
	t.Helper()
	l := &line{t: t, now: time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC)}
	l.Service = &Service{
		DB: d, Hub: notify.New(d, slog.New(slog.DiscardHandler)), Now: func() time.Time { return l.now }, Logger: slog.New(slog.DiscardHandler),
		OnChange: func(context.Context, *db.Tx, string) error { return nil },
	}
	err := d.Write(t.Context(), func(tx *db.Tx) error {
		for _, statement := range []string{
			`INSERT INTO account (id, email, name, created_at) VALUES ('a', 'a@example.com', 'A', 0)`,
			`INSERT INTO workspace (id, name, created_at) VALUES ('w', 'W', 0)`,
			`INSERT INTO room (id, workspace_id, code, name, locked, settings, created_by, created_at, updated_at)
				VALUES ('` + testRoom + `', 'w', 'c', 'R', FALSE, '{}', 'a', 0, 0)`,
		} {
			if _, err := tx.Exec(t.Context(), statement); err != nil {
				return err
			}
		}
		for i := range people {
			held := guest(i)
			held.WorkspaceID, held.Kind, held.Role, held.Status = "w", seat.KindGuest, api.RoleParticipant, seat.Waiting
			held.LetThroughAt, held.CreatedAt, held.WaitingSince, held.AwayAt = l.now, l.now, l.now, l.now
			if err := seat.Save(t.Context(), tx, held); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// guest is a seat of the line.
func guest(i int) seat.Seat {
	return seat.Seat{RoomID: testRoom, Holder: seat.Holder{Identity: fmt.Sprintf("guest_%d.x", i), TicketHash: fmt.Sprint("ticket ", i)}, Status: seat.Waiting}
}

// absent counts the people who are noted as away.
func (l *line) absent() (n int) {
	l.t.Helper()
	return l.count(`SELECT COUNT(*) FROM seat WHERE away_at IS NOT NULL`)
}

// writes counts the changes of the room: each transaction of notes is one.
func (l *line) writes() int {
	l.t.Helper()
	return l.count(`SELECT COALESCE(SUM(revision), 0) FROM live_room`)
}

func (l *line) count(query string) (n int) {
	l.t.Helper()
	err := l.DB.Read(l.t.Context(), func(tx *db.Tx) error { return tx.QueryRow(l.t.Context(), query).Scan(&n) })
	if err != nil {
		l.t.Fatal(err)
	}
	return n
}

func (l *line) back(i int) {
	l.isBack(l.t.Context(), waits(guest(i), guest(i).TicketHash, time.Time{}))
}

// opens opens a stream of a person, and returns how it closes.
func (l *line) opens(i int) (closes func()) {
	held := guest(i)
	self := l.followers.enter(held.TicketHash)
	return func() { l.followers.leave(held.TicketHash, self, l.absence(held, held.TicketHash)) }
}

func (l *line) noteAway() {
	l.t.Helper()
	if err := l.NoteAway(l.t.Context()); err != nil {
		l.t.Fatal(err)
	}
}

// People who come back while others are noted are noted together.
func TestPeopleWhoComeBackAreNotedTogether(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		const people = 50
		l := newLine(t, d, people)
		l.returns.reading.Lock() // somebody is being noted
		var all sync.WaitGroup
		for i := range people {
			all.Go(func() { l.back(i) })
		}
		for queued := 0; queued < people; runtime.Gosched() {
			l.followers.mu.Lock()
			queued = len(l.followers.back)
			l.followers.mu.Unlock()
		}
		l.returns.reading.Unlock()
		all.Wait()
		// The first of them may have begun to wait before the others.
		if absent, writes := l.absent(), l.writes(); absent != 0 || writes > 2 {
			t.Errorf("%d of %d are not noted as back, after %d transactions; want two at most", absent, people, writes)
		}
	})
}

// A note about a person who came back is written although their device is gone.
func TestAReturnIsNotedWithoutTheDevice(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		l := newLine(t, d, 1)
		gone, cancel := context.WithCancel(t.Context())
		cancel()
		l.isBack(gone, waits(guest(0), guest(0).TicketHash, time.Time{}))
		if l.absent() != 0 {
			t.Error("the person is still noted as away")
		}
	})
}

// An absence is noted after five seconds, once, and only if no stream of the ticket
// was opened meanwhile.
func TestAnAbsenceIsNotedWhenItLasts(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		l := newLine(t, d, 1)
		l.back(0)
		before := l.writes()
		for range 3 {
			l.opens(0)()
			l.now = l.now.Add(awayAfter - time.Millisecond)
			l.noteAway()
		}
		second, first := l.opens(0), l.opens(0)
		first()
		l.now = l.now.Add(time.Minute)
		l.noteAway()
		if absent, writes := l.absent(), l.writes()-before; absent != 0 || writes != 0 {
			t.Errorf("short absences: %d people are noted as away, after %d transactions", absent, writes)
		}
		second()
		closed := l.now
		l.now = l.now.Add(awayAfter)
		l.noteAway()
		if at := l.count(`SELECT away_at FROM seat`); at != int(closed.UnixMilli()) {
			t.Errorf("noted as away since %d, want %d, when the stream was closed", at, closed.UnixMilli())
		}
		l.noteAway()
		if writes := l.writes() - before; writes != 1 || len(l.followers.gone) != 0 {
			t.Errorf("%d transactions, want 1; %d people are still to be noted", writes, len(l.followers.gone))
		}
	})
}

// The streams of a person who is noted as away are woken: one may be open on another
// node, or have been opened at that moment.
func TestTheStreamsOfAPersonNotedAsAwayAreWoken(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		l := newLine(t, d, 2)
		l.back(0)
		l.back(1)
		_, theirs, cancel := l.subscribe(guest(0))
		defer cancel()
		_, others, cancel := l.subscribe(guest(1))
		defer cancel()
		l.opens(0)()
		l.now = l.now.Add(awayAfter)
		l.noteAway()
		select {
		case <-theirs.noted:
		default:
			t.Error("the person's stream was not woken")
		}
		select {
		case <-others.noted:
			t.Error("another person's stream was woken")
		case <-others.now:
			t.Error("the streams of everybody in the line were woken")
		default:
		}
	})
}

// A person who got another ticket meanwhile, or does not wait any more, is not noted.
func TestOnlyAPersonWhoWaitsWithTheTicketIsNoted(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		l := newLine(t, d, 2)
		l.back(0)
		l.back(1)
		l.opens(0)()
		l.opens(1)()
		err := d.Write(t.Context(), func(tx *db.Tx) error {
			if _, err := tx.Exec(t.Context(), `UPDATE seat SET ticket_hash = 'another' WHERE identity = $1`, guest(0).Identity); err != nil {
				return err
			}
			_, err := tx.Exec(t.Context(), `UPDATE seat SET status = 'new' WHERE identity = $1`, guest(1).Identity)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		l.now = l.now.Add(awayAfter)
		l.noteAway()
		if absent := l.absent(); absent != 0 || len(l.followers.gone) != 0 {
			t.Errorf("%d people are noted as away, %d are still to be noted", absent, len(l.followers.gone))
		}
	})
}

// More people than fit into one transaction are noted, and those whose note could not be
// written later.
func TestAbsencesAreNotedUntilTheyAreWritten(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		const people = notesAtOnce + 1
		l := newLine(t, d, people)
		for i := range people {
			l.followers.comesBack(waits(guest(i), guest(i).TicketHash, time.Time{}))
		}
		l.back(0)
		for i := range people {
			l.opens(i)()
		}
		l.now = l.now.Add(awayAfter)
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		if err := l.NoteAway(ended); err == nil || l.absent() != 0 {
			t.Fatalf("without a database %d people are noted: %v", l.absent(), err)
		}
		before := l.writes()
		l.noteAway()
		if absent, writes := l.absent(), l.writes()-before; absent != people || writes != 2 {
			t.Errorf("%d of %d people are noted, in %d transactions, want 2", absent, people, writes)
		}
	})
}

// When a node stops, it notes those who went away a moment ago. Those whose streams it
// ends itself come back elsewhere.
func TestAStoppingNodeNotesPeopleWhoAreGone(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		l := newLine(t, d, 2)
		l.back(0)
		l.back(1)
		draining := make(chan struct{})
		l.Draining = draining
		stays := l.opens(0)
		l.opens(1)()
		close(draining)
		stays()
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		l.Run(ended)
		var away []string
		err := d.Read(t.Context(), func(tx *db.Tx) (err error) {
			away, err = db.IDs(t.Context(), tx, `SELECT identity FROM seat WHERE away_at IS NOT NULL`)
			return err
		})
		if want := []string{guest(1).Identity}; err != nil || !slices.Equal(away, want) {
			t.Errorf("noted as away: %q, want %q (%v)", away, want, err)
		}
	})
}
