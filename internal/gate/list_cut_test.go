package gate

import (
	"maps"
	"slices"
	"strings"
	"testing"
)

// The gate remembers an identity that was disconnected only for the requests that were
// arriving then, also when others arrive all the time.
func TestDisconnectedIdentitiesAreForgotten(t *testing.T) {
	t.Parallel()
	g := &Gate{}
	arrive := func() int {
		since, ok := g.arrive()
		if !ok {
			t.Fatal("the gate is closing")
		}
		return since
	}
	wantCut := func(want ...string) {
		t.Helper()
		if got := slices.Sorted(maps.Keys(g.cut)); !slices.Equal(got, want) {
			t.Errorf("remembered: %s; want %s", strings.Join(got, " "), strings.Join(want, " "))
		}
	}
	enters := func(identity string, since int) bool {
		l := &relay{gate: g, decision: Decision{Identity: identity}}
		err := g.enter(l, since)
		if err == nil {
			g.leave(l)
		}
		return err == nil
	}
	g.Disconnect("nobody arrives")
	wantCut()
	first := arrive()
	g.Disconnect("a")
	second, third := arrive(), arrive()
	g.Disconnect("b")
	fourth := arrive()
	wantCut("a", "b")
	if enters("a", first) || enters("b", first) || !enters("a", second) || enters("b", third) || !enters("b", fourth) {
		t.Errorf("identities that were disconnected after the request arrived must be refused, and no others: %v", g.cut)
	}
	g.arrived(second)
	wantCut("a", "b") // the first and the third may still be a or b
	g.arrived(first)
	wantCut("b")
	g.arrived(third)
	wantCut()
	fifth := arrive()
	g.Disconnect("c")
	g.arrived(fourth)
	wantCut("c")
	g.arrived(fifth)
	wantCut()
}
