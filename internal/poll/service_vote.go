package poll

import (
	"context"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/fault"
	"github.com/conclave-rooms/conclave/internal/seat"
)

// Ballot is a vote as it was sent.
type Ballot struct {
	Options []string // ids of the picked options
	Receipt string   // in an anonymous poll: needed to change the vote later
}

// Vote records or changes the vote of a person in the meeting. It returns the
// poll as they see it afterwards.
func (s *Service) Vote(ctx context.Context, ticket, pollID string, b Ballot) (v View, err error) {
	err = s.DB.Write(ctx, func(tx *db.Tx) error {
		held, r, err := seat.Inside(ctx, tx, ticket, s.Now())
		if err != nil {
			return err
		}
		p, err := one(ctx, tx, pollID, inRoom(pollID, r.ID))
		if err != nil {
			return err
		}
		picks, err := p.picks(b)
		if err != nil {
			return err
		}
		if p.Status != Open {
			return fault.Conflicting(api.CodePollClosed, "This poll is closed: no more votes are taken.")
		}
		person, err := seat.PersonOn(ctx, tx, held)
		if err != nil {
			return err
		}
		cast := s.castNamed
		if p.Anonymous {
			cast = s.castAnonymous
		}
		if err := cast(ctx, tx, &p, ballot{Seat: held, Person: person, Receipt: b.Receipt, Picks: picks}); err != nil {
			return err
		}
		v, err = s.viewAfterVote(ctx, tx, p, held, picks)
		return err
	})
	return v, err
}

// ballot is a checked Ballot with the seat and person it comes from.
type ballot struct {
	Seat    seat.Seat
	Person  string
	Receipt string
	Picks   Picks
}

// castNamed records a vote together with the voter. Hosts may see who voted.
func (s *Service) castNamed(ctx context.Context, tx *db.Tx, p *Poll, b ballot) error {
	before, err := voteOf(ctx, tx, p.ID, b.Person)
	if err != nil || before != nil && before.Picks == b.Picks {
		return err
	}
	if err := saveVote(ctx, tx, p.ID, vote{Voter: b.Person, Name: b.Seat.Name, Picks: b.Picks}); err != nil {
		return err
	}
	if err := countNamed(ctx, tx, inRoom(p.ID, p.RoomID), map[string]*Poll{p.ID: p}); err != nil {
		return err
	}
	return s.voted(ctx, tx, p.RoomID)
}

// Renamed changes the name of a person beside their votes, as far as hosts still see
// them.
func (s *Service) Renamed(ctx context.Context, tx *db.Tx, held seat.Seat) error {
	person, err := seat.PersonOn(ctx, tx, held)
	if err != nil {
		return err
	}
	changed, err := renameVotes(ctx, tx, onBoard(held.RoomID, s.Now().Add(-listedFor)), person, held.Name)
	if err != nil || !changed {
		return err
	}
	return s.changed(ctx, tx, held.RoomID)
}

// castAnonymous records a vote without a link to its voter.
func (s *Service) castAnonymous(ctx context.Context, tx *db.Tx, p *Poll, b ballot) error {
	h, err := s.hashesOf(*p)
	if err != nil {
		return err
	}
	changed, err := p.box.cast(h.voter(b.Person), h.receipt(b.Person, b.Receipt), b.Picks)
	if err != nil || !changed {
		return err
	}
	if err := saveBallots(ctx, tx, *p.box); err != nil {
		return err
	}
	p.box.countInto(p)
	return s.voted(ctx, tx, p.RoomID)
}

// hashesOf unseals the hash key of an anonymous poll's box.
func (s *Service) hashesOf(p Poll) (hashes, error) {
	key, err := s.Sealer.Open(p.box.Secret, boxBinding(p.ID))
	return hashes{key}, err
}

// voted announces that counts changed. Many votes come at the same time, so it
// uses the topic whose messages are gathered before people are updated.
func (s *Service) voted(ctx context.Context, tx *db.Tx, roomID string) error {
	if err := bump(ctx, tx, roomID); err != nil {
		return err
	}
	return s.Stream.FrequentlyChanged(ctx, tx, roomID)
}

// viewAfterVote returns a poll as the person who has just voted in it sees it.
func (s *Service) viewAfterVote(ctx context.Context, tx *db.Tx, p Poll, held seat.Seat, picks Picks) (View, error) {
	st := viewer{host: held.RoleNow() == api.RoleHost, voted: true}
	if !p.Anonymous {
		st.picks = picks
	}
	var names [][]string
	if seesNames(p, st) {
		votes, err := votesIn(ctx, tx, inRoom(p.ID, p.RoomID))
		if err != nil {
			return View{}, err
		}
		names = p.namesOf(votes[p.ID])
	}
	return p.viewFor(st, names), nil
}
