package poll

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"slices"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/fault"
)

// box is the ballot box of an anonymous poll. Its contents are sorted by hash
// and always written as a whole, so that the order of arrival is not stored.
type box struct {
	PollID  string
	Secret  string           // key of the hashes, sealed
	Voters  []string         // hashes of the people who voted since the poll was last opened
	Counted []string         // hashes of the people whose votes were counted by a closing
	Ballots map[string]Picks // by the hash of the receipt
}

// cast puts a ballot into the box, or replaces the one with the same receipt. It
// returns whether that changed the box.
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

// countInto sets the counts of the anonymous poll.
func (b *box) countInto(p *Poll) {
	p.Voters = len(b.Counted) + len(b.Voters)
	for n, votes := range b.tally(len(p.Options)) {
		p.Options[n].Votes = p.Options[n].Counted + votes
	}
}

// empty removes the ballots. The list of the people who voted stays.
func (b *box) empty() {
	b.Counted = append(b.Counted, b.Voters...)
	slices.Sort(b.Counted)
	b.Voters, b.Ballots = nil, map[string]Picks{}
}

// hashes hashes voters and receipts with the key of one poll's box. The hashes
// reveal nothing without the key and differ from poll to poll.
type hashes struct{ key []byte }

// voter returns the hash that records that a person has voted.
func (h hashes) voter(person string) string { return h.sum("voter", person) }

// receipt returns the hash under which a ballot is stored. It includes the
// person, so that a receipt is useless to anybody else. Nobody can compute it
// without the receipt, which only the voter's device has.
func (h hashes) receipt(person, receipt string) string { return h.sum("receipt", person, receipt) }

// sum is HMAC-SHA-256 (RFC 2104), cut to 128 bits. That is long enough to rule
// out collisions, and short enough for a thousand hashes in a row.
func (h hashes) sum(words ...string) string {
	mac := hmac.New(sha256.New, h.key)
	for _, word := range words {
		mac.Write([]byte(word))
		mac.Write([]byte{0}) // separates the words, none of which contains it
	}
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil)[:16])
}
