package poll_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/db/dbtest"
	"github.com/conclave-rooms/conclave/internal/poll"
	"github.com/conclave-rooms/conclave/internal/room"
	"github.com/conclave-rooms/conclave/internal/seat"
	"github.com/conclave-rooms/conclave/internal/server/servertest"
	"github.com/conclave-rooms/conclave/internal/stream"
)

// meeting is a room with a poll and people in its meeting.
type meeting struct {
	*servertest.Service

	t    *testing.T
	key  string
	room api.Room
	poll api.Poll
}

func start(t *testing.T, where db.Config, body string) *meeting {
	t.Helper()
	m := &meeting{Service: servertest.Start(t, where, servertest.Options{}), t: t}
	m.key = m.Key(m.Workspace("acme", "owner@acme.example"), api.Scopes()...)
	m.ask(m.Service, http.MethodPost, "/api/v1/rooms", m.key, `{"name": "Weekly"}`, &m.room)
	m.ask(m.Service, http.MethodPost, "/api/v1/rooms/"+m.room.ID+"/polls", m.key, body, &m.poll)
	return m
}

func (m *meeting) ask(node *servertest.Service, method, path, bearer, body string, out any) {
	m.t.Helper()
	a := node.Send(servertest.Request{Method: method, Path: path, Bearer: bearer, Body: body})
	if err := json.Unmarshal(a.Body, out); err != nil || a.Status/100 != 2 {
		m.t.Fatalf("%s %s: %d %s", method, path, a.Status, a.Body)
	}
}

// guest lets a guest join, and returns their ticket.
func (m *meeting) guest(name string) string {
	m.t.Helper()
	return m.enter(fmt.Sprintf(`{"code": %q, "name": %q}`, m.room.Code, name))
}

// enter lets somebody join with this request, and returns their ticket.
func (m *meeting) enter(join string) string {
	m.t.Helper()
	var held struct{ Ticket, Token string }
	m.ask(m.Service, http.MethodPost, "/meet/v1/join", "", join, &held)
	upstream, _, err := m.Joins.LetThrough(m.t.Context(), held.Token)
	if err == nil {
		_, err = m.Media.Connect(upstream)
	}
	if err != nil {
		m.t.Fatal(err)
	}
	m.Settle()
	return held.Ticket
}

func (m *meeting) vote(node *servertest.Service, ticket string, option int, receipt string) servertest.Answer {
	m.t.Helper()
	body := fmt.Sprintf(`{"options": [%q]}`, m.poll.Options[option].ID)
	if receipt != "" {
		body = fmt.Sprintf(`{"options": [%q], "receipt": %q}`, m.poll.Options[option].ID, receipt)
	}
	return node.Send(servertest.Request{Method: http.MethodPost, Path: "/meet/v1/polls/" + m.poll.ID + "/vote", Bearer: ticket, Body: body})
}

// counts reads the poll through the API.
func (m *meeting) counts() api.Poll {
	m.t.Helper()
	var list api.List[api.Poll]
	m.ask(m.Service, http.MethodGet, "/api/v1/rooms/"+m.room.ID+"/polls", m.key, "", &list)
	if len(list.Data) != 1 {
		m.t.Fatalf("%d polls are listed", len(list.Data))
	}
	return list.Data[0]
}

const (
	openly   = `{"question": "Tea?", "options": ["yes", "no"]}`
	secretly = `{"question": "Tea?", "options": ["yes", "no"], "anonymous": true}`
)

func receiptOf(who int) string { return fmt.Sprintf("the receipt of voter number %d", who) }

// Every person votes four times at once, for both options. Each of them counts
// once.
func TestVotesAtOnceCountOnce(t *testing.T) {
	t.Parallel()
	for name, body := range map[string]string{"openly": openly, "anonymously": secretly} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dbtest.EachConfig(t, func(t *testing.T, where db.Config) {
				m := start(t, where, body)
				const people = 5
				var all sync.WaitGroup
				for who := range people {
					ticket := m.guest(fmt.Sprintf("Guest %d", who))
					for i := range 4 {
						receipt := ""
						if m.poll.Anonymous {
							receipt = receiptOf(who)
						}
						all.Go(func() {
							if a := m.vote(m.Service, ticket, i%2, receipt); a.Status != http.StatusOK {
								t.Errorf("a vote got %d %s", a.Status, a.Body)
							}
						})
					}
				}
				all.Wait()
				p := m.counts()
				if p.TotalVoters != people || p.Options[0].Votes+p.Options[1].Votes != people {
					t.Errorf("%d people are %d voters with %d and %d votes", people, p.TotalVoters, p.Options[0].Votes, p.Options[1].Votes)
				}
			})
		})
	}
}

// A poll closes while people vote. The event counts every vote that was accepted,
// and later votes are refused.
func TestClosingWhilePeopleVote(t *testing.T) {
	t.Parallel()
	dbtest.EachConfig(t, func(t *testing.T, where db.Config) {
		m := start(t, where, secretly)
		const people = 12
		tickets := make([]string, people)
		for who := range people {
			tickets[who] = m.guest(fmt.Sprintf("Guest %d", who))
		}
		var (
			all      sync.WaitGroup
			mu       sync.Mutex
			accepted int
		)
		for who, ticket := range tickets {
			all.Go(func() {
				a := m.vote(m.Service, ticket, 0, receiptOf(who))
				mu.Lock()
				defer mu.Unlock()
				switch {
				case a.Status == http.StatusOK:
					accepted++
				case a.Code() != api.CodePollClosed:
					t.Errorf("a vote got %d %s", a.Status, a.Body)
				}
			})
		}
		var closed api.Poll
		all.Go(func() {
			m.ask(m.Service, http.MethodPatch, "/api/v1/polls/"+m.poll.ID, m.key, `{"status": "closed"}`, &closed)
		})
		all.Wait()
		var told api.PollEvent
		for _, e := range m.EventLog() {
			if e.Type == api.EventPollClosed {
				if err := json.Unmarshal(e.Data, &told); err != nil {
					t.Fatal(err)
				}
			}
		}
		p := m.counts()
		if p.TotalVoters != accepted || p.Options[0].Votes != accepted || told.Poll.TotalVoters != accepted || closed.TotalVoters != accepted {
			t.Errorf("%d votes were accepted, %d are counted, the event says %d and the answer %d", accepted, p.TotalVoters, told.Poll.TotalVoters, closed.TotalVoters)
		}
	})
}

// Two nodes share a poll. A vote on one node is seen and changed on the other,
// and a person who votes on both counts once.
func TestAPollOnTwoNodes(t *testing.T) {
	t.Parallel()
	m := start(t, dbtest.Config(t, db.PostgreSQL), openly)
	there := m.AnotherNode()
	ada, bob := m.guest("Ada"), m.guest("Bob")
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			for _, ticket := range []string{ada, bob} {
				node := m.Service
				if i%2 == 0 {
					node = there
				}
				if a := m.vote(node, ticket, i%2, ""); a.Status != http.StatusOK {
					t.Errorf("a vote got %d %s", a.Status, a.Body)
				}
			}
		})
	}
	all.Wait()
	if p := m.counts(); p.TotalVoters != 2 || p.Options[0].Votes+p.Options[1].Votes != 2 {
		t.Errorf("two people are %+v", p)
	}
	var v struct {
		Total int `json:"total_voters"`
	}
	m.ask(there, http.MethodPatch, "/api/v1/polls/"+m.poll.ID, m.key, `{"status": "closed"}`, &v)
	if a := m.vote(m.Service, ada, 0, ""); a.Code() != api.CodePollClosed || v.Total != 2 {
		t.Errorf("after closing on the other node with %d voters a vote got %d %s", v.Total, a.Status, a.Body)
	}
}

// Two nodes share the box of an anonymous poll. After one node has closed the
// poll, the other refuses late votes, and refuses changes of counted votes after
// the poll is opened again.
func TestAnAnonymousPollOnTwoNodes(t *testing.T) {
	t.Parallel()
	m := start(t, dbtest.Config(t, db.PostgreSQL), secretly)
	there := m.AnotherNode()
	nodes := []*servertest.Service{m.Service, there}
	tickets := []string{m.guest("Ada"), m.guest("Bob"), m.guest("Cleo")}
	var all sync.WaitGroup
	for who, ticket := range tickets[:2] {
		for i := range 8 {
			all.Go(func() {
				if a := m.vote(nodes[i%2], ticket, i/2%2, receiptOf(who)); a.Status != http.StatusOK {
					t.Errorf("a vote got %d %s", a.Status, a.Body)
				}
			})
		}
	}
	all.Wait()
	if a := m.vote(there, tickets[0], 0, receiptOf(7)); a.Code() != api.CodeVotedElsewhere {
		t.Errorf("a vote with another receipt on the other node got %d %s", a.Status, a.Body)
	}
	m.ask(there, http.MethodPatch, "/api/v1/polls/"+m.poll.ID, m.key, `{"status": "closed"}`, &struct{}{})
	if a := m.vote(m.Service, tickets[2], 0, receiptOf(2)); a.Code() != api.CodePollClosed {
		t.Errorf("a late vote got %d %s", a.Status, a.Body)
	}
	if p := m.counts(); p.TotalVoters != 2 || p.Options[0].Votes+p.Options[1].Votes != 2 {
		t.Errorf("two people are %+v", p)
	}
	m.ask(m.Service, http.MethodPatch, "/api/v1/polls/"+m.poll.ID, m.key, `{"status": "open"}`, &struct{}{})
	if a := m.vote(there, tickets[0], 0, receiptOf(0)); a.Code() != api.CodeVoteCounted {
		t.Errorf("a change of a counted vote got %d %s", a.Status, a.Body)
	}
	if a := m.vote(there, tickets[2], 0, receiptOf(2)); a.Status != http.StatusOK || m.counts().TotalVoters != 3 {
		t.Errorf("the vote of a newcomer got %d %s", a.Status, a.Body)
	}
}

// When there are more polls than people are shown, open ones are shown however
// old they are, in their place by age.
func TestOldOpenPollsAreShown(t *testing.T) {
	t.Parallel()
	dbtest.EachConfig(t, func(t *testing.T, where db.Config) {
		m := start(t, where, secretly)
		oldest := m.poll.ID
		for range 31 {
			m.ask(m.Service, http.MethodPost, "/api/v1/rooms/"+m.room.ID+"/polls", m.key, openly, &m.poll)
			m.closes()
			m.Advance(time.Second)
		}
		shown := m.shown(m.guest("Ada"))
		if len(shown) != 30 || shown[0].ID != m.poll.ID || shown[29].ID != oldest {
			t.Errorf("there are 31 closed polls and an older open one, and %d are shown: %+v", len(shown), shown)
		}
	})
}

// shown reads the polls that the holder of a ticket sees.
func (m *meeting) shown(ticket string) []poll.View {
	m.t.Helper()
	var held seat.Seat
	var showTo stream.ShowTo
	err := m.DB().Read(m.t.Context(), func(tx *db.Tx) (err error) {
		var r room.Room
		if held, r, err = seat.Inside(m.t.Context(), tx, ticket, m.Now()); err != nil {
			return err
		}
		showTo, err = m.Polls.Board().Read(m.t.Context(), tx, r.ID)
		return err
	})
	if err != nil {
		m.t.Fatal(err)
	}
	parts, err := showTo(m.t.Context(), held)
	if err != nil {
		m.t.Fatal(err)
	}
	return parts[0].Data.([]poll.View)
}

// Nothing is left of the polls of a deleted room.
func TestPollsGoWithTheirRoom(t *testing.T) {
	t.Parallel()
	dbtest.EachConfig(t, func(t *testing.T, where db.Config) {
		m := start(t, where, `{"question": "Tea?", "options": ["yes", "no"]}`)
		m.vote(m.Service, m.guest("Ada"), 0, "")
		m.ask(m.Service, http.MethodDelete, "/api/v1/rooms/"+m.room.ID, m.key, "", &struct{}{})
		for _, table := range []string{"poll", "poll_option", "poll_vote", "poll_revision"} {
			if n := m.Count(table); n != 0 {
				t.Errorf("%d rows of %s are left", n, table)
			}
		}
	})
}
