package bench

import (
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/actor"
	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/poll"
	"github.com/conclave-rooms/conclave/internal/schema"
	"github.com/conclave-rooms/conclave/internal/seat"
)

// BenchmarkVotes lets a thousand people vote in one poll, 32 at a time, and
// checks the counts.
func BenchmarkVotes(b *testing.B) {
	const people, atOnce = 1000, 32
	each(b, func(b *testing.B, r *rig) {
		p, key := r.workspace(b)
		roomID := r.rooms(b, p, 1)
		r.seats(b, p.WorkspaceID, roomID, people)
		for name, anonymous := range map[string]bool{"named": false, "anonymous": true} {
			b.Run(name, func(b *testing.B) {
				b.StopTimer()
				for range b.N {
					asked, err := r.Polls.Create(b.Context(), actor.ByKey(p, roomID), schema.Filled(api.PollCreate{
						Question: "Tea?", Options: []string{"yes", "no"}, Anonymous: api.Set(anonymous),
					}))
					if err != nil {
						b.Fatal(err)
					}
					r.everybodyVotes(b, asked, people, atOnce)
					var list api.List[api.Poll]
					r.call(b, "GET", "/api/v1/rooms/"+roomID+"/polls", key, "", &list)
					got := list.Data[0]
					if got.ID != asked.ID || got.TotalVoters != people || got.Options[0].Votes != people/2 || got.Options[1].Votes != people/2 {
						b.Fatalf("%d people are counted as %+v", people, got)
					}
				}
			})
		}
	})
}

func ticketOf(who int) string { return fmt.Sprintf("ticket of voter %d", who) }

// seats adds people to a room, without media.
func (r *rig) seats(b *testing.B, workspaceID, roomID string, people int) {
	b.Helper()
	err := r.DB().Write(b.Context(), func(tx *db.Tx) error {
		for who := range people {
			err := seat.Save(b.Context(), tx, seat.Seat{
				RoomID:      roomID,
				WorkspaceID: workspaceID,
				Holder:      seat.Holder{Identity: fmt.Sprintf("guest_%d.x", who), Kind: seat.KindGuest, Name: fmt.Sprintf("Guest %d", who), Role: api.RoleParticipant, TicketHash: seat.TicketHash(ticketOf(who))},
				Status:      seat.In,
				Connection:  seat.Connection{LetThroughAt: time.Now()},
				JoinedAt:    time.Now(),
				CreatedAt:   time.Now(),
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		b.Fatal(err)
	}
}

// everybodyVotes casts one vote for each person, half of them yes.
func (r *rig) everybodyVotes(b *testing.B, asked poll.Poll, people, atOnce int) {
	b.Helper()
	var next atomic.Int64
	t := &team{}
	for range atOnce {
		t.calls = append(t.calls, func() error {
			who := int(next.Add(1)) - 1
			ballot := poll.Ballot{Options: []string{asked.Options[who%2].ID}, Receipt: fmt.Sprintf("the receipt of voter number %d", who)}
			_, err := r.Polls.Vote(b.Context(), ticketOf(who), asked.ID, ballot)
			return err
		})
	}
	b.StartTimer() // not from zero: otherwise every round would ask for more, to fill the time
	if err := t.work(people); err != nil {
		b.Fatal(err)
	}
	b.StopTimer()
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(t.rate(), "votes/s")
	b.ReportMetric(micros(percentile(t.took, 0.5)), "p50-µs")
	b.ReportMetric(micros(percentile(t.took, 0.99)), "p99-µs")
}
