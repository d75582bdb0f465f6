package poll

import (
	"context"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/seat"
	"github.com/conclave-rooms/conclave/internal/stream"
)

// mostShown limits how many polls the people in a meeting see: a key may create
// many, and every device gets all of them again with every vote. Open polls come
// first, because people can vote in them and hosts can close them only if they
// are shown.
const mostShown = 30

// Board shows people in a meeting the room's polls: the open ones, and those
// asked in the last 24 hours.
func (s *Service) Board() stream.Board {
	return stream.Board{Name: "polls", Revision: revision, Arriving: false, Read: s.read}
}

// posted is a poll on the board, with the votes that decide what each person
// sees of it.
type posted struct {
	Poll
	picks  map[string]Picks // by person; empty in anonymous polls
	names  [][]string
	hashes hashes
}

// read reads the board of a room once for everybody who follows it.
func (s *Service) read(ctx context.Context, tx *db.Tx, roomID string) (stream.ShowTo, error) {
	w := onBoard(roomID, s.Now().Add(-listedFor))
	polls, err := load(ctx, tx, w)
	if err != nil {
		return nil, err
	}
	votes, err := votesIn(ctx, tx, w)
	if err != nil {
		return nil, err
	}
	board := make([]posted, len(polls))
	for i, p := range polls {
		board[i] = posted{Poll: p, picks: map[string]Picks{}}
		if p.Anonymous {
			if board[i].hashes, err = s.hashesOf(p); err != nil {
				return nil, err
			}
			continue
		}
		for _, v := range votes[p.ID] {
			board[i].picks[v.Voter] = v.Picks
		}
		board[i].names = p.namesOf(votes[p.ID])
	}
	here, err := s.voters(ctx, tx, roomID, board)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context, held seat.Seat) ([]stream.Shown, error) {
		views, err := s.show(ctx, board, here, held)
		return []stream.Shown{{Name: "polls", Data: views}}, err
	}, nil
}

// voters reads under which names the people in the meeting vote, if there is something to
// vote on.
func (s *Service) voters(ctx context.Context, tx *db.Tx, roomID string, board []posted) (*voters, error) {
	if len(board) == 0 {
		return nil, nil //nolint:nilnil // show needs none
	}
	known, err := seat.PersonsOn(ctx, tx, roomID)
	return &voters{known: known}, err
}

// show shows the board to the holder of a seat.
func (s *Service) show(ctx context.Context, board []posted, here *voters, held seat.Seat) ([]View, error) {
	views := make([]View, len(board))
	if len(board) == 0 {
		return views, nil
	}
	person, err := s.voter(ctx, here, held)
	if err != nil {
		return nil, err
	}
	for i, p := range board {
		views[i] = p.viewFor(p.viewer(person, held.RoleNow() == api.RoleHost), p.names)
	}
	return views, nil
}

// voter returns the name under which the holder of a seat votes. It asks the database
// only about people who came since the board was read.
func (s *Service) voter(ctx context.Context, here *voters, held seat.Seat) (string, error) {
	person, known := here.of(held.Identity)
	if known {
		return person, nil
	}
	err := s.DB.ReadOne(ctx, func(tx *db.Tx) (err error) {
		person, err = seat.PersonOn(ctx, tx, held)
		return err
	})
	if err == nil {
		here.note(held.Identity, person)
	}
	return person, err
}

// viewer returns what decides what a person sees of the poll.
func (p posted) viewer(person string, host bool) viewer {
	if p.Anonymous {
		hash := p.hashes.voter(person)
		return viewer{host: host, voted: p.box.hasVoted(hash), final: p.box.hasCounted(hash)}
	}
	picks, voted := p.picks[person]
	return viewer{host: host, voted: voted, picks: picks}
}
