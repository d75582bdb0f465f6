package poll

import (
	"slices"
	"strings"
	"testing"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/fault"
)

// paramsOf returns the fields of a refusal, with spaces between them.
func paramsOf(err error) string {
	f, _ := fault.As(err)
	if f == nil {
		return ""
	}
	params := make([]string, len(f.Fields))
	for i, field := range f.Fields {
		params[i] = field.Param
	}
	return strings.Join(params, " ")
}

// The life of a ballot box: ballots are cast, changed with their receipts,
// counted and destroyed. After that newcomers can vote, and people whose vote was
// counted cannot.
func TestABallotBox(t *testing.T) {
	t.Parallel()
	b := box{Ballots: map[string]Picks{}}
	const yes, no = Picks(1), Picks(2)
	for _, step := range []struct {
		what           string
		empty          bool
		voter, receipt string
		picks          Picks
		code           string
		unchanged      bool
		tally          []int
		voted, counted []string
	}{
		{what: "the first vote", voter: "b", receipt: "rb", picks: yes, tally: []int{1, 0}, voted: []string{"b"}},
		{what: "another voter", voter: "a", receipt: "ra", picks: no, tally: []int{1, 1}, voted: []string{"a", "b"}},
		{what: "a change", voter: "b", receipt: "rb", picks: no, tally: []int{0, 2}, voted: []string{"a", "b"}},
		{what: "the same again", voter: "b", receipt: "rb", picks: no, unchanged: true, tally: []int{0, 2}, voted: []string{"a", "b"}},
		{what: "a change with another receipt", voter: "b", receipt: "rx", picks: yes, code: api.CodeVotedElsewhere, tally: []int{0, 2}, voted: []string{"a", "b"}},
		{what: "both answers", voter: "c", receipt: "rc", picks: yes | no, tally: []int{1, 3}, voted: []string{"a", "b", "c"}},
		{what: "the closing", empty: true, tally: []int{0, 0}, counted: []string{"a", "b", "c"}},
		{what: "a change after the closing", voter: "a", receipt: "ra", picks: yes, code: api.CodeVoteCounted, tally: []int{0, 0}, counted: []string{"a", "b", "c"}},
		{what: "a newcomer", voter: "ab", receipt: "rn", picks: yes, tally: []int{1, 0}, voted: []string{"ab"}, counted: []string{"a", "b", "c"}},
		{what: "another closing", empty: true, tally: []int{0, 0}, counted: []string{"a", "ab", "b", "c"}},
	} {
		if step.empty {
			b.empty()
		} else {
			changed, err := b.cast(step.voter, step.receipt, step.picks)
			if !fault.HasCode(err, step.code) && (err != nil || step.code != "") {
				t.Errorf("%s: %v, want %q", step.what, err, step.code)
			}
			if want := step.code == "" && !step.unchanged; changed != want {
				t.Errorf("%s: changed %v, want %v", step.what, changed, want)
			}
		}
		if !slices.Equal(b.tally(2), step.tally) || !slices.Equal(b.Voters, step.voted) || !slices.Equal(b.Counted, step.counted) {
			t.Errorf("after %s: the box counts %v, %q voted, %q were counted", step.what, b.tally(2), b.Voters, b.Counted)
		}
		for _, voter := range []string{"a", "b", "c", "ab", "x"} {
			if b.hasVoted(voter) != slices.Contains(slices.Concat(step.voted, step.counted), voter) {
				t.Errorf("after %s: that %s has voted is %v", step.what, voter, b.hasVoted(voter))
			}
		}
	}
}

// Hashes differ from poll to poll, and depend on where one word ends and the next
// begins.
func TestHashesDifferByPollAndByWord(t *testing.T) {
	t.Parallel()
	one, other := hashes{[]byte("one")}, hashes{[]byte("other")}
	all := []string{
		one.voter("ada"), other.voter("ada"), one.voter("bob"), one.receipt("ada", "r"), one.receipt("adar", ""), one.receipt("bob", "r"),
		other.receipt("ada", "r"), one.sum("voterada"),
	}
	for i, hash := range all {
		if len(hash) != 22 || slices.Contains(all[:i], hash) {
			t.Errorf("hash %d is %s, of %q", i, hash, all)
		}
	}
	if again := one.voter("ada"); again != all[0] {
		t.Errorf("a hash is %s, and then %s", all[0], again)
	}
}
