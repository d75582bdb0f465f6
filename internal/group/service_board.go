package group

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/room"
	"github.com/conclave-rooms/conclave/internal/seat"
	"github.com/conclave-rooms/conclave/internal/stream"
)

// view is the part `group` of the event stream.
type view struct {
	Place   *string       `json:"place" doc:"A breakout room's id; null: the main room."`
	GroupID *string       `json:"group_id" doc:"base64url; null when the place has no group."`
	Epoch   int64         `json:"epoch"`
	Seq     int64         `json:"seq" doc:"The number of the newest message of this place. It grows from one group to the next, too."`
	Members []string      `json:"members" doc:"Identities of the devices that were added and are present."`
	Key     string        `json:"service_key" doc:"The key with which the service signs statements now: Ed25519, base64url."`
	Waiting []waitingView `json:"waiting" doc:"Those present that were not added, or came back with a new key package, in the order in which they make the next group."`
}

// waitingView is a device that waits to be added.
type waitingView struct {
	Identity   string `json:"identity"`
	KeyPackage string `json:"key_package" doc:"base64url."`
}

// Board shows each device of a strict meeting the group of its media room.
func (s *Service) Board() stream.Board {
	return stream.Board{Name: "group", Revision: nil, Arriving: true, Read: s.read}
}

// read reads the groups of a room, and writes the part of each place once for
// everybody there.
func (s *Service) read(ctx context.Context, tx *db.Tx, roomID string) (stream.ShowTo, error) {
	r, err := room.ByID(ctx, tx, roomID)
	if err != nil {
		return nil, err
	}
	if !r.Strict() {
		return func(context.Context, seat.Seat) ([]stream.Shown, error) { return nil, nil }, nil
	}
	all, err := s.scenes(ctx, tx, roomID)
	if err != nil {
		return nil, err
	}
	parts := map[string]json.RawMessage{}
	for breakoutID, sc := range all.places {
		if parts[breakoutID], err = json.Marshal(sc.view(s.publicKey())); err != nil {
			return nil, fmt.Errorf("write the group of a place: %w", err)
		}
	}
	return func(_ context.Context, held seat.Seat) ([]stream.Shown, error) {
		shown := stream.Shown{Name: "group", Data: nil}
		if sc, known := all.places[held.BreakoutID]; known && sc.here[held.Identity] {
			shown.Data = parts[held.BreakoutID]
		}
		return []stream.Shown{shown}, nil
	}, nil
}

// view is the place as the devices there see it. It names the service's key: a device
// whose statement another key signed gets a new one, because no new device would
// accept the old one. Among those that wait, the ones that groups have left out more often
// come first.
func (s *scene) view(serviceKey string) view {
	v := view{
		Place: api.TextOrNull(s.BreakoutID), GroupID: api.TextOrNull(s.GroupID), Epoch: s.Epoch, Seq: s.Seq,
		Key: serviceKey, Members: []string{}, Waiting: []waitingView{},
	}
	for _, identity := range slices.Sorted(maps.Keys(s.here)) {
		d := s.devices[identity]
		switch {
		case d == nil:
		case d.Added:
			v.Members = append(v.Members, identity)
		case d.KeyPackage != "" && !s.bars(identity):
			v.Waiting = append(v.Waiting, waitingView{Identity: identity, KeyPackage: d.KeyPackage})
		}
	}
	slices.SortStableFunc(v.Waiting, func(a, b waitingView) int {
		return s.devices[b.Identity].Passed - s.devices[a.Identity].Passed
	})
	return v
}
