package poll_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/db/dbtest"
	"github.com/conclave-rooms/conclave/internal/server/servertest"
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

// guest brings somebody in, and gives their ticket.
func (m *meeting) guest(name string) string {
	m.t.Helper()
	var seat struct{ Ticket, Token string }
	m.ask(m.Service, http.MethodPost, "/meet/v1/join", "", fmt.Sprintf(`{"code": %q, "name": %q}`, m.room.Code, name), &seat)
	upstream, _, err := m.Joins.Admit(m.t.Context(), seat.Token)
	if err == nil {
		_, err = m.Media.Connect(upstream)
	}
	if err != nil {
		m.t.Fatal(err)
	}
	m.Settle()
	return seat.Ticket
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

func eachEngine(t *testing.T, test func(t *testing.T, where db.Config)) {
	t.Helper()
	for _, engine := range []db.Engine{db.SQLite, db.PostgreSQL} {
		t.Run(string(engine), func(t *testing.T) {
			t.Parallel()
			test(t, dbtest.Config(t, engine))
		})
	}
}

const (
	openly   = `{"question": "Tea?", "options": ["yes", "no"]}`
	secretly = `{"question": "Tea?", "options": ["yes", "no"], "anonymous": true}`
)

func receiptOf(who int) string { return fmt.Sprintf("the receipt of voter number %d", who) }

// Everybody votes four times at once, for one and the other: everybody counts
// once.
func TestVotesAtOnceCountOnce(t *testing.T) {
	t.Parallel()
	for name, body := range map[string]string{"openly": openly, "anonymously": secretly} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			eachEngine(t, func(t *testing.T, where db.Config) {
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
								t.Errorf("a vote answers %d %s", a.Status, a.Body)
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

// A poll closes while people vote: what was accepted is counted in the event,
// and what came later was refused.
func TestClosingWhilePeopleVote(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, where db.Config) {
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
					t.Errorf("a vote answers %d %s", a.Status, a.Body)
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

// Two nodes share a poll: a vote on one is seen and changed on the other, and
// the same person on both counts once.
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
					t.Errorf("a vote answers %d %s", a.Status, a.Body)
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
		t.Errorf("after closing on the other node with %d voters a vote answers %d %s", v.Total, a.Status, a.Body)
	}
}

// ballotsOf reads what the box of a poll holds.
func (m *meeting) ballotsOf() (voters, counted []string, ballots map[string]int) {
	m.t.Helper()
	var v, c, b string
	err := m.DB().Read(m.t.Context(), func(tx *db.Tx) error {
		return tx.QueryRow(m.t.Context(), `SELECT voters, counted, ballots FROM poll_box WHERE poll_id = $1`, m.poll.ID).Scan(&v, &c, &b)
	})
	for text, into := range map[string]any{v: &voters, c: &counted, b: &ballots} {
		if err == nil {
			err = json.Unmarshal([]byte(text), into)
		}
	}
	if err != nil {
		m.t.Fatal(err)
	}
	return voters, counted, ballots
}

// What an anonymous poll leaves behind: while it is open, who has voted and
// what was picked, with nothing in common; once it is closed, no ballot, in the
// tables or anywhere in the files of the database.
func TestWhatAnAnonymousPollLeavesBehind(t *testing.T) {
	t.Parallel()
	where := dbtest.Config(t, db.SQLite)
	m := start(t, where, secretly)
	const people = 120
	for who := range people {
		if a := m.vote(m.Service, m.guest(fmt.Sprintf("Guest %d", who)), who%2, receiptOf(who)); a.Status != http.StatusOK {
			t.Fatalf("a vote answers %d %s", a.Status, a.Body)
		}
	}
	voters, counted, ballots := m.ballotsOf()
	if len(voters) != people || len(counted) != 0 || len(ballots) != people {
		t.Fatalf("the open box holds %d voters, %d counted ones and %d ballots", len(voters), len(counted), len(ballots))
	}
	for _, voter := range voters {
		if _, both := ballots[voter]; both {
			t.Errorf("a ballot is kept under the hash of its voter, %s", voter)
		}
	}
	if n := m.inFiles(where.Dir, ballots); n != people {
		t.Fatalf("%d of %d ballots are in the files of the open poll: this test does not look where they are", n, people)
	}
	m.ask(m.Service, http.MethodPatch, "/api/v1/polls/"+m.poll.ID, m.key, `{"status": "closed"}`, &m.poll)
	if err := m.DB().Shred(t.Context()); err != nil {
		t.Fatal(err)
	}
	voters, counted, left := m.ballotsOf()
	if len(voters) != 0 || len(counted) != people || len(left) != 0 {
		t.Errorf("the closed box holds %d voters, %d counted ones and %d ballots", len(voters), len(counted), len(left))
	}
	if n := m.inFiles(where.Dir, ballots); n != 0 {
		t.Errorf("%d ballots are still in the files of the database", n)
	}
	if m.poll.Options[0].Votes != people/2 || m.poll.Options[1].Votes != people/2 {
		t.Errorf("the counts are %+v", m.poll.Options)
	}
}

// inFiles says how many ballots are found in the files of a database.
func (m *meeting) inFiles(dir string, ballots map[string]int) (found int) {
	m.t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "conclave.db*"))
	if err != nil {
		m.t.Fatal(err)
	}
	var all []byte
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			m.t.Fatal(err)
		}
		all = append(all, raw...)
	}
	for hash := range ballots {
		if bytes.Contains(all, []byte(hash)) {
			found++
		}
	}
	return found
}
