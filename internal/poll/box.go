package poll

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"slices"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/fault"
)

// box is the ballot box of an anonymous poll. What it holds is sorted by
// hashes, so that no order of arrival is kept, and it is written as a whole.
type box struct {
	PollID  string
	Secret  string           // keys the hashes; sealed
	Voters  []string         // hashes of who has voted since the poll was last opened
	Counted []string         // hashes of those whose votes closings have counted
	Ballots map[string]Picks // by the hash of the receipt
}

// cast puts a ballot into the box, or replaces the one with the same receipt.
// changed says whether the box is another one now.
func (b *box) cast(voter, receipt string, picks Picks) (changed bool, err error) {
	if b.hasCounted(voter) {
		return false, fault.Conflicting(api.CodeVoteCounted,
			"Your vote was counted when this poll was closed. Nobody knows which one it is, so it cannot be changed any more.")
	}
	at, voted := slices.BinarySearch(b.Voters, voter)
	before, known := b.Ballots[receipt]
	switch {
	case voted && !known:
		return false, fault.Conflicting(api.CodeVotedElsewhere, "You have voted in this poll already. Your vote can be changed only where you cast it.")
	case voted && before == picks:
		return false, nil
	case !voted:
		b.Voters = slices.Insert(b.Voters, at, voter)
	}
	b.Ballots[receipt] = picks
	return true, nil
}

func (b *box) hasVoted(voter string) bool {
	_, found := slices.BinarySearch(b.Voters, voter)
	return found || b.hasCounted(voter)
}

func (b *box) hasCounted(voter string) bool {
	_, found := slices.BinarySearch(b.Counted, voter)
	return found
}

// tally counts the ballots in the box, by the position of the option.
func (b *box) tally(options int) []int {
	votes := make([]int, options)
	for _, picks := range b.Ballots {
		for n := range options {
			if picks.has(n) {
				votes[n]++
			}
		}
	}
	return votes
}

// countInto gives the anonymous poll its counts.
func (b *box) countInto(p *Poll) {
	p.Voters = len(b.Counted) + len(b.Voters)
	for n, votes := range b.tally(len(p.Options)) {
		p.Options[n].Votes = p.Options[n].Counted + votes
	}
}

// empty destroys the ballots. Who has voted stays known.
func (b *box) empty() {
	b.Counted = append(b.Counted, b.Voters...)
	slices.Sort(b.Counted)
	b.Voters, b.Ballots = nil, map[string]Picks{}
}

// hashes hashes voters and receipts with the key of one poll's box, so that the
// hashes tell nothing without the key and differ from poll to poll.
type hashes struct{ key []byte }

// voter is the hash that says that somebody has voted.
func (h hashes) voter(person string) string { return h.of("voter", person) }

// receipt is the hash a ballot is kept under. The person goes into it, so that
// a receipt that came into other hands changes nothing; it cannot be made, or
// tried out, without the receipt, which nobody but the voter's device has.
func (h hashes) receipt(person, receipt string) string { return h.of("receipt", person, receipt) }

// of is HMAC-SHA-256 (RFC 2104), cut to 128 bits: collisions are out of reach,
// and a thousand of them fit a row.
func (h hashes) of(words ...string) string {
	mac := hmac.New(sha256.New, h.key)
	for _, word := range words {
		mac.Write([]byte(word))
		mac.Write([]byte{0}) // no word holds one, so where they part is certain
	}
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil)[:16])
}
