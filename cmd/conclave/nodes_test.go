package main_test

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/db/dbtest"
	"github.com/conclave-rooms/conclave/internal/node"
)

// listNodes lists the nodes, as an operator does.
func listNodes(t *testing.T, where db.Config) []node.Node {
	t.Helper()
	var list api.List[node.Node]
	administrate(t, where, &list, "nodes", "list")
	return list.Data
}

// As JSON the nodes are a list like all others, also when there are none.
func TestTheListOfNodes(t *testing.T) {
	t.Parallel()
	dbtest.EachConfig(t, func(t *testing.T, where db.Config) {
		var w map[string]any
		administrate(t, where, &w, "workspaces", "create", "--name", "Acme", "--owner", "owner@acme.example")
		r := command(t, append([]string{"nodes", "list", "--json"}, at(where)...)...)
		if want := `{"object":"list","data":[],"has_more":false}` + "\n"; r.status != 0 || r.stdout != want {
			t.Errorf("status %d, %s%s, want %s", r.status, r.stdout, r.stderr, want)
		}
	})
}

// listed finds a process in the list of nodes.
func (p *process) listed(where db.Config) node.Node {
	p.t.Helper()
	nodes := listNodes(p.t, where)
	i := slices.IndexFunc(nodes, func(n node.Node) bool { return "http://"+n.Listen == p.url })
	if i < 0 {
		p.t.Fatalf("%s is not in the list: %+v", p.url, nodes)
	}
	return nodes[i]
}

// A node that is drained fails at /readyz, and new meetings begin on the other one.
// The meeting that it has goes on, and the operator sees when nobody is left.
func TestADrainedNodeGetsNoNewMeetings(t *testing.T) {
	t.Parallel()
	s := newPair(t, 7)
	eventually(t, s.holder, "both nodes are listed, with two connections each", func() bool {
		nodes := listNodes(t, s.where)
		return len(nodes) == 2 && !slices.ContainsFunc(nodes, func(n node.Node) bool { return n.Connections != 2 || n.State != node.Ready })
	})
	name := s.holder.listed(s.where).Name
	// A node notes the people on its media server every few seconds.
	eventually(t, s.holder, "all four people are on its media server", func() bool {
		return s.holder.listed(s.where).People == 4
	})
	var n node.Node
	administrate(t, s.where, &n, "nodes", "drain", name)
	ready := func(p *process, status int, word string) func() bool {
		return func() bool {
			got, body := p.call(http.MethodGet, "/readyz", "", "")
			return got == status && strings.Contains(string(body), `"status":"`+word+`"`)
		}
	}
	soon(t, patience, "it says that it drains", ready(s.holder, http.StatusServiceUnavailable, "draining"))
	if !ready(s.other, http.StatusOK, "ok")() || n.State != node.Draining {
		t.Errorf("the other node is not ready, or this one is %s", n.State)
	}
	// LiveKit writes its state to Redis within two seconds. Before, new meetings may
	// begin on either node.
	id := s.holder.node()
	eventually(t, s.holder, "ten new meetings in a row begin on the other node", func() bool {
		for range 10 {
			if s.begins(t) == id {
				return false
			}
		}
		return true
	})
	if !s.listed(s.holder) || !s.listed(s.other) || s.people[s.holder][0].back.Load() != 1 {
		t.Error("the meeting that ran did not go on")
	}
	r := command(t, append([]string{"nodes", "drain", name, "--wait", "1s"}, at(s.where)...)...)
	if r.status != 1 || !strings.Contains(r.stderr, "people are still connected") {
		t.Errorf("people are there: status %d, %s", r.status, r.stderr)
	}
	for _, people := range s.people {
		for _, a := range people {
			a.goes()
		}
	}
	administrate(t, s.where, &n, "nodes", "drain", name, "--wait", "30s")
	if n.Connections != 0 || n.People != 0 {
		t.Errorf("nobody is there, and it says %+v", n)
	}
	administrate(t, s.where, &n, "nodes", "undrain", name)
	soon(t, patience, "it takes people again", ready(s.holder, http.StatusOK, "ok"))

	if r := command(t, append([]string{"nodes", "drain", "nobody"}, at(s.where)...)...); r.status != 1 || !strings.Contains(r.stderr, "There is no node of this name") {
		t.Errorf("a node that does not exist: status %d, %s", r.status, r.stderr)
	}
	s.other.stop()
	if nodes := listNodes(t, s.where); len(nodes) != 1 || nodes[0].Name != name {
		t.Errorf("after the other one stopped, the list is %+v", nodes)
	}
}

// begins begins a meeting in a new room, and names the node that has it.
func (s *pair) begins(t *testing.T) string {
	t.Helper()
	var room api.Room
	if _, body := s.other.call(http.MethodPost, "/api/v1/rooms", s.key, `{"name": "Another"}`); json.Unmarshal(body, &room) != nil {
		t.Fatalf("make a room: %s", body)
	}
	var token api.RoomToken
	if _, body := s.other.call(http.MethodPost, "/api/v1/rooms/"+room.ID+"/tokens", s.key, `{"name": "Ada"}`); json.Unmarshal(body, &token) != nil {
		t.Fatalf("make a token: %s", body)
	}
	ada := attend(t, s.other, token)
	soon(t, patience, "Ada is in", func() bool { return ada.back.Load() == 1 })
	id, err := s.redis.HGet(t.Context(), "room_node_map", room.ID).Result()
	if err != nil {
		t.Fatal(err)
	}
	ada.goes()
	return id
}
