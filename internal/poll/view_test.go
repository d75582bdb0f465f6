package poll

import (
	"slices"
	"testing"
)

// Who sees counts: every mode of results, for somebody who has not voted, for
// somebody who has, and for a host, while the poll is open and once it is closed.
func TestWhoSeesCounts(t *testing.T) {
	t.Parallel()
	nobody, voter, host := viewer{}, viewer{voted: true}, viewer{host: true}
	for _, c := range []struct {
		results string
		status  string
		who     string
		viewer
		sees bool
	}{
		{Live, Open, "somebody who has not voted", nobody, true},
		{Live, Open, "somebody who has", voter, true},
		{Live, Open, "a host", host, true},
		{Live, Closed, "somebody who has not voted", nobody, true},
		{Live, Closed, "somebody who has", voter, true},
		{Live, Closed, "a host", host, true},
		{AfterVote, Open, "somebody who has not voted", nobody, false},
		{AfterVote, Open, "somebody who has", voter, true},
		{AfterVote, Open, "a host", host, true},
		{AfterVote, Closed, "somebody who has not voted", nobody, true},
		{AfterVote, Closed, "somebody who has", voter, true},
		{AfterVote, Closed, "a host", host, true},
		{AfterClose, Open, "somebody who has not voted", nobody, false},
		{AfterClose, Open, "somebody who has", voter, false},
		{AfterClose, Open, "a host", host, true},
		{AfterClose, Closed, "somebody who has not voted", nobody, true},
		{AfterClose, Closed, "somebody who has", voter, true},
		{AfterClose, Closed, "a host", host, true},
	} {
		p := Poll{Kind: Single, Results: c.results, Status: c.status, Voters: 3, Options: []Option{{ID: "yes", Votes: 1}, {ID: "no", Votes: 2}}}
		v := p.viewFor(c.viewer, nil)
		for _, number := range []*int{v.TotalVoters, v.Options[0].Votes, v.Options[1].Votes} {
			if (number != nil) != c.sees {
				t.Errorf("%s, %s: %s sees a count: %v, want %v", c.results, c.status, c.who, number != nil, c.sees)
			}
		}
		if c.sees && (*v.TotalVoters != 3 || *v.Options[1].Votes != 2) {
			t.Errorf("%s, %s: the counts are %d and %d, want 3 and 2", c.results, c.status, *v.TotalVoters, *v.Options[1].Votes)
		}
	}
}

// Who sees names: hosts, in polls that are not anonymous.
func TestWhoSeesNames(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		anonymous, host, sees bool
	}{{false, true, true}, {false, false, false}, {true, true, false}, {true, false, false}} {
		p := Poll{Anonymous: c.anonymous, Results: Live, Status: Closed, Options: []Option{{ID: "yes"}, {ID: "no"}}}
		names := p.namesOf([]vote{{Name: "Bob", Picks: 1}, {Name: "Ada", Picks: 3}})
		v := p.viewFor(viewer{host: c.host, voted: true}, names)
		if sees := v.Options[0].Voters != nil; sees != c.sees {
			t.Errorf("anonymous %v, host %v: sees names: %v", c.anonymous, c.host, sees)
		}
		if c.sees && (!slices.Equal(v.Options[0].Voters, []string{"Ada", "Bob"}) || !slices.Equal(v.Options[1].Voters, []string{"Ada"})) {
			t.Errorf("the names are %q and %q", v.Options[0].Voters, v.Options[1].Voters)
		}
	}
}

// Only options of this poll can be picked, and only one if it takes a single answer.
func TestOnlyOptionsOfThePollCanBePicked(t *testing.T) {
	t.Parallel()
	options := []Option{{ID: "a"}, {ID: "b"}, {ID: "c"}}
	for _, c := range []struct {
		kind   string
		chosen []string
		picks  Picks
		params string // of the refusal
	}{
		{Single, []string{"a"}, 1, ""},
		{Single, []string{"c"}, 4, ""},
		{Single, []string{"a", "b"}, 0, "options"},
		{Single, nil, 0, "options"},
		{Single, []string{"d"}, 0, "options[0]"},
		{Multiple, []string{"c", "a"}, 5, ""},
		{Multiple, []string{"a", "b", "c"}, 7, ""},
		{Multiple, []string{"a", "d"}, 0, "options[1]"},
		{Multiple, []string{"d", "a", "e"}, 0, "options[0] options[2]"},
	} {
		p := Poll{Kind: c.kind, Options: options}
		picks, err := p.picks(Ballot{Options: c.chosen})
		if params := paramsOf(err); picks != c.picks || params != c.params {
			t.Errorf("%s %q: %b, %v", c.kind, c.chosen, picks, err)
		}
		if back := p.chosen(picks); err == nil && len(back) != len(c.chosen) {
			t.Errorf("%s %q is read back as %q", c.kind, c.chosen, back)
		}
	}
}
