package live

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/db/dbtest"
	"github.com/conclave-rooms/conclave/internal/seat"
)

const testRoom = "r"

// inRoom returns a service whose clock is at *now, with one room.
func inRoom(t *testing.T, d *db.DB, now *time.Time) *Service {
	t.Helper()
	for _, statement := range []string{
		`INSERT INTO account (id, email, name, created_at) VALUES ('a', 'a@example.com', 'A', 0)`,
		`INSERT INTO workspace (id, name, created_at) VALUES ('w', 'W', 0)`,
		`INSERT INTO room (id, workspace_id, code, name, locked, settings, created_by, created_at, updated_at)
			VALUES ('` + testRoom + `', 'w', 'c', 'R', FALSE, '{}', 'a', 0, 0)`,
	} {
		err := d.Write(t.Context(), func(tx *db.Tx) error {
			_, err := tx.Exec(t.Context(), statement)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	s := new(Service)
	s.DB, s.Now = d, func() time.Time { return *now }
	return s
}

func (s *Service) keep(t *testing.T, seats ...seat.Seat) {
	t.Helper()
	err := s.DB.Write(t.Context(), func(tx *db.Tx) error {
		for _, held := range seats {
			held.RoomID, held.WorkspaceID, held.Kind, held.Role, held.CreatedAt = testRoom, "w", seat.KindGuest, api.RoleParticipant, held.LetThroughAt
			if err := seat.Save(t.Context(), tx, held); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// kept returns the seats that a Sync reads, and all seats there are.
func (s *Service) kept(t *testing.T) (read, there []string) {
	t.Helper()
	err := s.DB.Read(t.Context(), func(tx *db.Tx) error {
		st, err := readState(t.Context(), tx, testRoom, s.Now())
		for _, held := range st.Seats {
			read = append(read, held.Identity)
		}
		if err != nil {
			return err
		}
		there, err = db.Query(t.Context(), tx, func(row db.Scanner) (id string, err error) { return id, row.Scan(&id) },
			`SELECT identity FROM seat ORDER BY identity`)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(read)
	return read, there
}

// Twenty minutes later no Sync reads seats that were not used, and they are
// deleted. Admissions by a host stay, and a person is found by all their seats.
func TestUnusedSeatsAreDeleted(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		start := time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC)
		now := start
		s := inRoom(t, d, &now)
		s.keep(t,
			seat.Seat{Holder: seat.Holder{Identity: "in.1"}, Status: seat.In, Connection: seat.Connection{LetThroughAt: start}},
			seat.Seat{Holder: seat.Holder{Identity: "let-in.1"}, Status: seat.LetThrough, Given: seat.Given{Admitted: true}, Connection: seat.Connection{LetThroughAt: start}},
			seat.Seat{Holder: seat.Holder{Identity: "unused.1"}, Status: seat.LetThrough, Connection: seat.Connection{LetThroughAt: start}},
			seat.Seat{Holder: seat.Holder{Identity: "unused.2"}, Status: seat.LetThrough, Connection: seat.Connection{LetThroughAt: start.Add(10 * time.Minute)}},
		)
		now = start.Add(20*time.Minute - time.Second)
		if read, _ := s.kept(t); len(read) != 4 {
			t.Errorf("while people may still come, a Sync reads %q", read)
		}
		now = start.Add(20*time.Minute + time.Second)
		if err := s.Forget(t.Context()); err != nil {
			t.Fatal(err)
		}
		read, there := s.kept(t)
		if want := []string{"in.1", "unused.2"}; !slices.Equal(read, want) {
			t.Errorf("a Sync reads %q, want %q", read, want)
		}
		if want := []string{"in.1", "let-in.1", "unused.2"}; !slices.Equal(there, want) {
			t.Errorf("the seats are %q, want %q", there, want)
		}
	})
}

// A person who was removed from a meeting that has lasted for more than a day is
// remembered as removed for a day.
func TestRemovedPeopleAreRememberedForADay(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		start := time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC)
		now := start.Add(25 * time.Hour)
		s := inRoom(t, d, &now)
		for _, status := range []seat.Status{seat.LetThrough, seat.Lost, seat.Left} {
			held := seat.Seat{RoomID: testRoom, WorkspaceID: "w", Holder: seat.Holder{Kind: seat.KindGuest, Role: api.RoleParticipant, Identity: string(status) + ".1"}, Status: status, Connection: seat.Connection{LetThroughAt: start}}
			err := d.Write(t.Context(), func(tx *db.Tx) error {
				return s.giveUp(t.Context(), tx, state{}, held, departure{Seat: held, Reason: reasonRemoved, Status: seat.Removed})
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		for _, later := range []struct {
			after time.Duration
			known int
		}{{0, 3}, {23 * time.Hour, 3}, {25 * time.Hour, 0}} {
			now = start.Add(25*time.Hour + later.after)
			if err := s.Forget(t.Context()); err != nil {
				t.Fatal(err)
			}
			if _, there := s.kept(t); len(there) != later.known {
				t.Errorf("%v after they were removed, %q are remembered, want %d", later.after, there, later.known)
			}
		}
	})
}

// More seats than fit into one transaction are deleted, with the aliases of their
// people, and no other aliases.
func TestOldSeatsAreDeletedWithTheirAliases(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		start := time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC)
		now := start.Add(forgetAfter + time.Second)
		s := inRoom(t, d, &now)
		seats := []seat.Seat{
			{Holder: seat.Holder{Identity: "in.1"}, Status: seat.In, Connection: seat.Connection{LetThroughAt: start}},
			{Holder: seat.Holder{Identity: "left.new"}, Status: seat.Left, Connection: seat.Connection{LetThroughAt: start.Add(2 * time.Second)}},
		}
		for i := range 401 {
			seats = append(seats, seat.Seat{Holder: seat.Holder{Identity: fmt.Sprintf("left.%d", i)}, Status: seat.Left, Connection: seat.Connection{LetThroughAt: start}})
		}
		s.keep(t, seats...)
		err := d.Write(t.Context(), func(tx *db.Tx) error {
			for _, held := range seats {
				held.RoomID = testRoom
				if err := seat.SaveAlias(t.Context(), tx, held, "browser of "+held.Identity); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Forget(t.Context()); err != nil {
			t.Fatal(err)
		}
		want := []string{"in.1", "left.new"}
		if _, there := s.kept(t); !slices.Equal(there, want) {
			t.Errorf("%d seats are left, want %q", len(there), want)
		}
		var aliases []string
		err = d.Read(t.Context(), func(tx *db.Tx) (err error) {
			aliases, err = db.IDs(t.Context(), tx, `SELECT identity FROM seat_alias ORDER BY identity`)
			return err
		})
		if err != nil || !slices.Equal(aliases, want) {
			t.Errorf("%d aliases are left: %v, want %q", len(aliases), err, want)
		}
	})
}
