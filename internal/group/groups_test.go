package group_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/db/dbtest"
	"github.com/conclave-rooms/conclave/internal/server/servertest"
)

const groupID = "Z3JvdXAtYWFhYWFhYWFhYQ"

// meeting is a strict meeting for tests.
type meeting struct {
	*servertest.Service

	t    *testing.T
	room api.Room
	key  string
}

func newMeeting(t *testing.T, s *servertest.Service) *meeting {
	t.Helper()
	m := &meeting{Service: s, t: t, key: s.Key(s.Workspace("acme", "owner@acme.example"), api.Scopes()...)}
	m.post("/api/v1/rooms", m.key, `{"name": "Board", "settings": {"encryption": "strict"}}`, &m.room)
	return m
}

func (m *meeting) post(path, bearer, body string, out any) {
	m.t.Helper()
	a := m.Send(servertest.Request{Method: http.MethodPost, Path: path, Bearer: bearer, Body: body})
	if err := json.Unmarshal(a.Body, out); err != nil || a.Status/100 != 2 {
		m.t.Fatalf("%s: %d %s", path, a.Status, a.Body)
	}
}

// member is a person who is in the meeting.
type member struct{ Ticket, Token, Identity string }

// comes brings a person into the meeting.
func (m *meeting) comes(name string) (p member) {
	m.t.Helper()
	m.post("/meet/v1/join", "", fmt.Sprintf(`{"code": %q, "name": %q, "strict": 1}`, m.room.Code, name), &p)
	upstream, _, err := m.Joins.LetThrough(m.t.Context(), p.Token)
	if err == nil {
		_, err = m.Media.Connect(upstream)
	}
	if err != nil {
		m.t.Fatal(err)
	}
	m.Settle()
	return p
}

func (m *meeting) founds(p member) {
	m.t.Helper()
	m.post("/meet/v1/group", p.Ticket, fmt.Sprintf(`{"place": null, "group_id": %q}`, groupID), &struct{}{})
}

func commitBody(epoch int, adds, removes string) string {
	welcome := "null"
	if adds != "" {
		welcome = `"AAAA"`
	}
	return fmt.Sprintf(`{"place": null, "group_id": %q, "epoch": %d, "commit": "AAAA", "welcome": %s, "check": "`+strings.Repeat("A", 43)+`", "link": null, "adds": [%s], "removes": [%s]}`, groupID, epoch, welcome, adds, removes)
}

func (m *meeting) rows() int {
	m.t.Helper()
	return m.Count("group_place") + m.Count("group_device") + m.Count("group_commit")
}

// Nothing about a group is left after its meeting, however it ends, and nothing of
// people who never came.
func TestNothingOfAGroupIsLeftAfterItsMeeting(t *testing.T) {
	t.Parallel()
	ends := map[string]func(m *meeting, p member){
		"by the API": func(m *meeting, _ member) { m.post("/api/v1/rooms/"+m.room.ID+"/end", m.key, `{}`, &struct{}{}) },
		"empty": func(m *meeting, p member) {
			m.post("/meet/v1/leave", p.Ticket, `{}`, &struct{}{})
			m.Settle()
			m.Advance(time.Minute)
		},
		"with the room": func(m *meeting, _ member) {
			a := m.Send(servertest.Request{Method: http.MethodDelete, Path: "/api/v1/rooms/" + m.room.ID, Bearer: m.key})
			if a.Status/100 != 2 {
				m.t.Fatalf("delete the room: %d %s", a.Status, a.Body)
			}
		},
	}
	for how, end := range ends {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			dbtest.EachConfig(t, func(t *testing.T, where db.Config) {
				m := newMeeting(t, servertest.Start(t, where, servertest.Options{}))
				ada := m.comes("Ada")
				m.founds(ada)
				m.post("/meet/v1/group/commits", ada.Ticket, commitBody(0, "", ""), &struct{}{})
				if got := m.rows(); got != 3 {
					t.Errorf("%d rows while the meeting runs", got)
				}
				end(m, ada)
				m.Settle()
				if got := m.rows(); got != 0 {
					t.Errorf("%d rows after the meeting", got)
				}
			})
		})
	}
	t.Run("without a meeting", func(t *testing.T) {
		t.Parallel()
		dbtest.EachConfig(t, func(t *testing.T, where db.Config) {
			m := newMeeting(t, servertest.Start(t, where, servertest.Options{}))
			var eve member
			m.post("/meet/v1/join", "", fmt.Sprintf(`{"code": %q, "name": "Eve", "strict": 1}`, m.room.Code), &eve)
			m.post("/meet/v1/group/key-package", eve.Ticket, `{"place": null, "key_package": "AAAA"}`, &struct{}{})
			if got := m.rows(); got != 2 {
				t.Errorf("%d rows while the seat may be used", got)
			}
			m.Pass(time.Hour)
			m.Forget()
			if got := m.rows(); got != 0 {
				t.Errorf("%d rows after the seat was deleted", got)
			}
		})
	})
}

// Of commits that many devices make in one epoch, on two nodes, one is taken.
func TestOneCommitOfAnEpochIsTaken(t *testing.T) {
	t.Parallel()
	dbtest.EachConfig(t, func(t *testing.T, where db.Config) {
		m := newMeeting(t, servertest.Start(t, where, servertest.Options{}))
		nodes := []*servertest.Service{m.Service, m.Service}
		if where.URL != "" {
			nodes[1] = m.AnotherNode()
		}
		ada := m.comes("Ada")
		m.founds(ada)
		var people []member
		var adds []string
		for i := range 4 {
			p := m.comes(fmt.Sprintf("Guest %d", i))
			m.post("/meet/v1/group/key-package", p.Ticket, `{"place": null, "key_package": "AAAA"}`, &struct{}{})
			adds = append(adds, fmt.Sprintf(`{"identity": %q, "key_package": "cJ6AyISHokEeHuTfufIqhhSS0gxHZRUMDHlKvXD4FHw"}`, p.Identity))
			people = append(people, p)
		}
		adds = adds[:len(adds):len(adds)]
		m.post("/meet/v1/group/commits", ada.Ticket, commitBody(0, strings.Join(adds, ","), ""), &struct{}{})
		for epoch := 1; epoch <= 5; epoch++ {
			var (
				trying  sync.WaitGroup
				mu      sync.Mutex
				answers = map[string]int{}
			)
			for i, p := range append(people, ada) {
				trying.Go(func() {
					a := nodes[i%2].Send(servertest.Request{Method: http.MethodPost, Path: "/meet/v1/group/commits", Bearer: p.Ticket, Body: commitBody(epoch, "", "")})
					mu.Lock()
					defer mu.Unlock()
					if a.Status == http.StatusOK {
						answers["taken"]++
					} else {
						answers[a.Refusal().Code]++
					}
				})
			}
			trying.Wait()
			if answers["taken"] != 1 || answers[api.CodeEpochTaken] != len(people) {
				t.Errorf("epoch %d: %v", epoch, answers)
			}
		}
		if got := m.Count("group_commit"); got != 6 {
			t.Errorf("%d commits are kept", got)
		}
	})
}

// In a long meeting, refusals of people who have long been in the group again do not add
// up to its end.
func TestOldRefusalsDoNotEndAGroup(t *testing.T) {
	t.Parallel()
	dbtest.EachConfig(t, func(t *testing.T, where db.Config) {
		m := newMeeting(t, servertest.Start(t, where, servertest.Options{}))
		ada, bob, eve := m.comes("Ada"), m.comes("Bob"), m.comes("Eve")
		m.founds(ada)
		adds := func(epoch int, p member) {
			m.post("/meet/v1/group/key-package", p.Ticket, `{"place": null, "key_package": "AAAA"}`, &struct{}{})
			added := fmt.Sprintf(`{"identity": %q, "key_package": "cJ6AyISHokEeHuTfufIqhhSS0gxHZRUMDHlKvXD4FHw"}`, p.Identity)
			m.post("/meet/v1/group/commits", ada.Ticket, commitBody(epoch, added, ""), &struct{}{})
		}
		refuses := func(p member) {
			m.post("/meet/v1/group/refusals", p.Ticket, fmt.Sprintf(`{"place": null, "group_id": %q, "seq": 2}`, groupID), &struct{}{})
		}
		adds(0, bob)
		adds(1, eve)
		refuses(bob)
		adds(2, bob)
		m.Pass(time.Minute)
		refuses(eve)
		adds(3, eve) // Ada is still in the group
		adds(4, bob) // he lost the group, which is no refusal
		adds(5, bob) // so he is still in it
		refuses(bob)
		a := m.Send(servertest.Request{Method: http.MethodPost, Path: "/meet/v1/group/commits", Bearer: ada.Ticket, Body: commitBody(6, "", "")})
		if a.Status != http.StatusConflict || a.Code() != api.CodeEpochTaken {
			t.Errorf("after two refusals of three people within a minute: %d %.200s; the group is not over", a.Status, a.Body)
		}
	})
}

// The group goes on when two of three people refuse what different devices sent.
func TestRefusalsBlameWhoSentTheMessage(t *testing.T) {
	t.Parallel()
	dbtest.EachConfig(t, func(t *testing.T, where db.Config) {
		m := newMeeting(t, servertest.Start(t, where, servertest.Options{}))
		mallory, ada, bob := m.comes("Mallory"), m.comes("Ada"), m.comes("Bob")
		m.founds(mallory)
		for epoch, p := range []member{ada, bob} {
			m.post("/meet/v1/group/key-package", p.Ticket, `{"place": null, "key_package": "AAAA"}`, &struct{}{})
			added := fmt.Sprintf(`{"identity": %q, "key_package": "cJ6AyISHokEeHuTfufIqhhSS0gxHZRUMDHlKvXD4FHw"}`, p.Identity)
			m.post("/meet/v1/group/commits", mallory.Ticket, commitBody(epoch, added, ""), &struct{}{})
		}
		m.post("/meet/v1/group/commits", ada.Ticket, commitBody(2, "", ""), &struct{}{})
		for p, seq := range map[member]int{bob: 3, mallory: 4} {
			m.post("/meet/v1/group/refusals", p.Ticket, fmt.Sprintf(`{"place": null, "group_id": %q, "seq": %d}`, groupID, seq), &struct{}{})
		}
		a := m.Send(servertest.Request{Method: http.MethodPost, Path: "/meet/v1/group/commits", Bearer: ada.Ticket, Body: commitBody(3, "", "")})
		if a.Status != http.StatusOK {
			t.Errorf("a commit after the refusals: %d %.200s", a.Status, a.Body)
		}
	})
}

// The log does not grow for ever, and a device that needs what was deleted has to join
// anew.
func TestALongMeetingKeepsTheNewestCommits(t *testing.T) {
	t.Parallel()
	dbtest.EachConfig(t, func(t *testing.T, where db.Config) {
		m := newMeeting(t, servertest.Start(t, where, servertest.Options{}))
		ada := m.comes("Ada")
		m.founds(ada)
		for epoch := range 259 {
			m.post("/meet/v1/group/commits", ada.Ticket, commitBody(epoch, "", ""), &struct{}{})
		}
		if got := m.Count("group_commit"); got != 259 {
			t.Errorf("%d commits are kept at first", got)
		}
		m.Pass(10 * time.Second)
		m.post("/meet/v1/group/commits", ada.Ticket, commitBody(259, "", ""), &struct{}{})
		if got := m.Count("group_commit"); got != 256 {
			t.Errorf("%d commits are kept", got)
		}
		// The founding has the number 1, the commits 2 to 261.
		for after, want := range map[int]int{0: http.StatusNotFound, 4: http.StatusNotFound, 5: http.StatusOK, 261: http.StatusOK} {
			path := fmt.Sprintf("/meet/v1/group/messages?group_id=%s&after=%d", groupID, after)
			if a := m.Send(servertest.Request{Method: http.MethodGet, Path: path, Bearer: ada.Ticket}); a.Status != want {
				t.Errorf("after %d: %d %.200s", after, a.Status, a.Body)
			}
		}
	})
}

// The key packages and commits of one address, with their welcomes, have at most 32 MiB in
// ten seconds. More are refused until later, and do not change the group.
func TestCommitsCountByTheirSize(t *testing.T) {
	t.Parallel()
	dbtest.EachConfig(t, func(t *testing.T, where db.Config) {
		m := newMeeting(t, servertest.Start(t, where, servertest.Options{RateLimits: true}))
		ada := m.comes("Ada")
		m.founds(ada)
		large := func(epoch int) servertest.Request { // 1 MiB
			body := strings.Replace(commitBody(epoch, "", ""), `"welcome": null`, `"welcome": "`+strings.Repeat("AAAA", 768<<8)+`"`, 1)
			body = strings.Replace(body, `"commit": "AAAA"`, `"commit": "`+strings.Repeat("AAAA", 256<<8)+`"`, 1)
			return servertest.Request{Method: http.MethodPost, Path: "/meet/v1/group/commits", Bearer: ada.Ticket, Body: body}
		}
		for epoch := range 32 {
			if a := m.Send(large(epoch)); a.Status != http.StatusOK {
				t.Fatalf("commit %d: %d %.200s", epoch+1, a.Status, a.Body)
			}
		}
		if a := m.Send(large(32)); a.Status != http.StatusTooManyRequests || a.Code() != api.CodeRateLimited || a.Header.Get("Retry-After") != "10" {
			t.Errorf("one more: %d %.200s, Retry-After %q; want 429 and 10", a.Status, a.Body, a.Header.Get("Retry-After"))
		}
		offer := servertest.Request{Method: http.MethodPost, Path: "/meet/v1/group/key-package", Bearer: ada.Ticket, Body: `{"place": null, "key_package": "AAAA"}`}
		if a := m.Send(offer); a.Status != http.StatusTooManyRequests || a.Code() != api.CodeRateLimited {
			t.Errorf("a key package then: %d %.200s, want 429", a.Status, a.Body)
		}
		m.Pass(10 * time.Second)
		if a := m.Send(large(32)); a.Status != http.StatusOK {
			t.Errorf("ten seconds later: %d %.200s", a.Status, a.Body)
		}
	})
}
