package join_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/db/dbtest"
	"github.com/conclave-rooms/conclave/internal/room"
	"github.com/conclave-rooms/conclave/internal/schema"
	"github.com/conclave-rooms/conclave/internal/seat"
	"github.com/conclave-rooms/conclave/internal/server/servertest"
)

// The number of people who wait before a room has the limit that
// docs/reference/joining.md states. People who wait already keep their place.
func TestAWaitingRoomHasALimit(t *testing.T) {
	t.Parallel()
	dbtest.EachConfig(t, func(t *testing.T, where db.Config) {
		s := servertest.Start(t, where, servertest.Options{})
		knock := api.RoomCreate{Name: "Weekly", Settings: api.RoomSettingsUpdate{Admission: api.Set("knock")}}
		_, r := servertest.NewRoom(t, s.Server, knock, room.TypeMeeting)
		crowd(t, s, r, 1999)
		join := func(ticket string) servertest.Answer {
			body := fmt.Sprintf(`{"code": %q, "name": "Ada"}`, r.Code)
			return s.Send(servertest.Request{Method: http.MethodPost, Path: "/meet/v1/join", Bearer: ticket, Body: body})
		}
		if last := join(""); last.Status != http.StatusOK {
			t.Errorf("the 2,000th person is refused: %d %s", last.Status, last.Body)
		}
		over := join("")
		if over.Status != http.StatusTooManyRequests || over.Code() != api.CodeWaitingFull || over.Header.Get("Retry-After") != "60" {
			t.Errorf("the 2,001st person got %d %s %v", over.Status, over.Body, over.Header)
		}
		if again := join("ticket 7"); again.Status != http.StatusOK {
			t.Errorf("a person who waits already is refused: %d %s", again.Status, again.Body)
		}
	})
}

// The number of seats that are given and not used has the limit that
// docs/reference/joining.md states, for strangers. People who have a seat, hosts
// and people with a token come in, and everybody does when those seats are too
// old.
func TestUnusedSeatsHaveALimit(t *testing.T) {
	t.Parallel()
	dbtest.EachConfig(t, func(t *testing.T, where db.Config) {
		s := servertest.Start(t, where, servertest.Options{})
		p, r := servertest.NewRoom(t, s.Server, api.RoomCreate{Name: "Weekly"}, room.TypeMeeting)
		flood(t, s, r, 4999)
		join := func(ticket string) servertest.Answer {
			body := fmt.Sprintf(`{"code": %q, "name": "Ada"}`, r.Code)
			return s.Send(servertest.Request{Method: http.MethodPost, Path: "/meet/v1/join", Bearer: ticket, Body: body})
		}
		if last := join(""); last.Status != http.StatusOK {
			t.Errorf("the 5,000th seat is refused: %d %s", last.Status, last.Body)
		}
		if over := join(""); over.Status != http.StatusTooManyRequests || over.Code() != api.CodeWaitingFull || over.Header.Get("Retry-After") != "60" {
			t.Errorf("the 5,001st seat got %d %s %v", over.Status, over.Body, over.Header)
		}
		if again := join("ticket 7"); again.Status != http.StatusOK {
			t.Errorf("a person who has a seat already is refused: %d %s", again.Status, again.Body)
		}
		token, err := s.Joins.CreateToken(t.Context(), p, r.ID, schema.Filled(api.TokenCreate{Name: "Ben"}))
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := s.Joins.LetThrough(t.Context(), token.Token); err != nil {
			t.Errorf("the holder of a token is refused: %v", err)
		}
		s.Advance(21 * time.Minute)
		if later := join(""); later.Status != http.StatusOK {
			t.Errorf("when those seats are too old, a person is refused: %d %s", later.Status, later.Body)
		}
	})
}

// flood adds seats on which nobody connects.
func flood(t *testing.T, s *servertest.Service, r room.Room, n int) {
	t.Helper()
	addSeats(t, s, r, n, seat.LetThrough, seat.Line{})
}

// crowd adds people who knock.
func crowd(t *testing.T, s *servertest.Service, r room.Room, n int) {
	t.Helper()
	addSeats(t, s, r, n, seat.Waiting, seat.Line{WaitingSince: s.Now(), AwayAt: s.Now()})
}

func addSeats(t *testing.T, s *servertest.Service, r room.Room, n int, status seat.Status, line seat.Line) {
	t.Helper()
	err := s.DB().Write(t.Context(), func(tx *db.Tx) error {
		for i := range n {
			held := seat.Seat{
				RoomID:      r.ID,
				WorkspaceID: r.WorkspaceID,
				Holder:      seat.Holder{Identity: fmt.Sprintf("guest_%d.x", i), Kind: seat.KindGuest, Name: "Gus", Role: api.RoleParticipant, TicketHash: seat.TicketHash(fmt.Sprintf("ticket %d", i))},
				Status:      status,
				Connection:  seat.Connection{LetThroughAt: s.Now()},
				CreatedAt:   s.Now(),
				Line:        line,
			}
			if err := seat.Save(t.Context(), tx, held); err != nil {
				return err
			}
		}
		return s.Stream.Changed(t.Context(), tx, r.ID)
	})
	if err != nil {
		t.Fatal(err)
	}
}
