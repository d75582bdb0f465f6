package join_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/db/dbtest"
	"github.com/conclave-rooms/conclave/internal/room"
	"github.com/conclave-rooms/conclave/internal/seat"
	"github.com/conclave-rooms/conclave/internal/server/servertest"
)

// After an hour a person does not wait any more, even before Expire has closed their
// seat: hosts do not see them, and nobody and nothing lets them in.
func TestNobodyIsLetInAfterAnHour(t *testing.T) {
	t.Parallel()
	for _, status := range []seat.Status{seat.Waiting, seat.Early} {
		dbtest.EachConfig(t, func(t *testing.T, where db.Config) {
			s := servertest.Start(t, where, servertest.Options{})
			knock := api.RoomCreate{Name: "Weekly", Settings: api.RoomSettingsUpdate{Admission: api.Set("knock")}}
			p, r := servertest.NewRoom(t, s.Server, knock, room.TypeMeeting)
			addSeats(t, s, r, 2, status, seat.Line{WaitingSince: s.Now()})
			account := seat.Holder{Identity: seat.UserPerson(p.AccountID) + ".x", Kind: seat.KindUser, Name: "Ada", Role: api.RoleParticipant, TicketHash: seat.TicketHash("Ada's")}
			save(t, s, seat.Seat{
				RoomID: r.ID, WorkspaceID: r.WorkspaceID, Holder: account, Status: status,
				Connection: seat.Connection{LetThroughAt: s.Now()}, CreatedAt: s.Now(), Line: seat.Line{WaitingSince: s.Now()},
			})
			host := seat.Seat{
				RoomID: r.ID, WorkspaceID: r.WorkspaceID, Status: seat.In, CreatedAt: s.Now(),
				Holder:     seat.Holder{Identity: "api_host.x", Kind: seat.KindToken, Name: "Grace", Role: api.RoleHost, TicketHash: seat.TicketHash("Grace's")},
				Connection: seat.Connection{LetThroughAt: s.Now()},
			}
			save(t, s, host)
			key := s.Key(r.WorkspaceID, api.ScopeParticipantsRead, api.ScopeParticipantsWrite, api.ScopeRoomsWrite)
			waiting := "/api/v1/rooms/" + r.ID + "/waiting"
			ask := func(method, path, bearer, body string, want int) servertest.Answer {
				t.Helper()
				a := s.Send(servertest.Request{Method: method, Path: path, Bearer: bearer, Body: body})
				if a.Status != want {
					t.Errorf("%s %s: %d %s, want %d", method, path, a.Status, a.Body, want)
				}
				return a
			}
			listed := func() int {
				var list api.List[api.WaitingParticipant]
				if err := json.Unmarshal(ask(http.MethodGet, waiting, key, "", http.StatusOK).Body, &list); err != nil {
					t.Fatal(err)
				}
				return len(list.Data)
			}
			all := map[seat.Status]int{seat.Waiting: 3, seat.Early: 0}[status]
			s.Pass(time.Hour - time.Millisecond)
			if n := listed(); n != all {
				t.Errorf("%d people are listed before their hour is over, want %d", n, all)
			}
			s.Pass(time.Millisecond)
			if n := listed(); n != 0 {
				t.Errorf("%d people are listed after their hour", n)
			}
			var knocking []seat.Knocker
			err := s.DB().Read(t.Context(), func(tx *db.Tx) (err error) {
				knocking, err = seat.Knockers(t.Context(), tx, r.ID, s.Now())
				return err
			})
			if err != nil || len(knocking) > 0 {
				t.Errorf("hosts in the meeting see %v after their hour, %v", knocking, err)
			}
			ask(http.MethodPost, waiting+"/guest_0.x", key, `{"decision": "admit"}`, http.StatusNotFound)
			ask(http.MethodPost, waiting+"/"+account.Identity, key, `{"decision": "admit"}`, http.StatusNotFound)
			ask(http.MethodPost, "/meet/v1/admit-all", "Grace's", "{}", http.StatusOK)
			// A room that lets everybody in lets in nobody whose hour is over either.
			ask(http.MethodPatch, "/api/v1/rooms/"+r.ID, key, `{"settings": {"admission": "direct"}}`, http.StatusOK)
			if n := s.Count("seat WHERE room_id = $1 AND status = $2", r.ID, string(status)); n != 3 {
				t.Errorf("%d of 3 seats are as they were", n)
			}
			s.Tick()
			if n := s.Count("seat WHERE room_id = $1 AND status = 'expired'", r.ID); n != 3 {
				t.Errorf("%d of 3 seats have expired", n)
			}
		})
	}
}

func save(t *testing.T, s *servertest.Service, held seat.Seat) {
	t.Helper()
	err := s.DB().Write(t.Context(), func(tx *db.Tx) error { return seat.Save(t.Context(), tx, held) })
	if err != nil {
		t.Fatal(fmt.Errorf("save the seat of %s: %w", held.Identity, err))
	}
}
