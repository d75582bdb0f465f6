package join_test

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/auth"
	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/db/dbtest"
	"github.com/conclave-rooms/conclave/internal/room"
	"github.com/conclave-rooms/conclave/internal/schema"
	"github.com/conclave-rooms/conclave/internal/seat"
	"github.com/conclave-rooms/conclave/internal/server/servertest"
)

// crowdedRoom is a room in which one network takes many seats.
type crowdedRoom struct {
	*servertest.Service

	t     *testing.T
	owner auth.Principal
	room  room.Room
}

func newCrowdedRoom(t *testing.T, where db.Config, settings api.RoomSettingsUpdate) *crowdedRoom {
	t.Helper()
	s := servertest.Start(t, where, servertest.Options{RateLimits: true})
	p, r := servertest.NewRoom(t, s.Server, api.RoomCreate{Name: "Weekly", Settings: settings}, room.TypeMeeting)
	return &crowdedRoom{Service: s, t: t, owner: p, room: r}
}

// join joins in a browser that was never here before.
func (c *crowdedRoom) join(ticket, secret string) servertest.Answer {
	body := map[string]string{"code": c.room.Code, "name": "Ada", "browser": rand.Text()}
	if secret != "" {
		body["join_secret"] = secret
	}
	raw, err := json.Marshal(body)
	if err != nil {
		c.t.Fatal(err)
	}
	return c.Send(servertest.Request{Method: http.MethodPost, Path: "/meet/v1/join", Bearer: ticket, Body: string(raw)})
}

func (c *crowdedRoom) leave(ticket string) {
	c.t.Helper()
	if a := c.Send(servertest.Request{Method: http.MethodPost, Path: "/meet/v1/leave", Bearer: ticket}); a.Status != http.StatusOK {
		c.t.Fatalf("leave: %d %s", a.Status, a.Body)
	}
}

// change changes a seat in the database.
func (c *crowdedRoom) change(identity string, change func(*seat.Seat)) {
	c.t.Helper()
	err := c.DB().Write(c.t.Context(), func(tx *db.Tx) error {
		held, err := seat.ByIdentity(c.t.Context(), tx, c.room.ID, identity)
		if err != nil {
			return err
		}
		change(held)
		return seat.Save(c.t.Context(), tx, *held)
	})
	if err != nil {
		c.t.Fatal(err)
	}
}

// seats says how many seats the room has, of whatever status.
func (c *crowdedRoom) seats() int { return c.Count("seat WHERE room_id = $1", c.room.ID) }

// networks returns the networks that the room's seats remember, with the number
// of seats for each.
func (c *crowdedRoom) networks() map[string]int {
	c.t.Helper()
	found := map[string]int{}
	err := c.DB().Read(c.t.Context(), func(tx *db.Tx) error {
		_, err := db.Query(c.t.Context(), tx, func(row db.Scanner) (string, error) {
			var network string
			err := row.Scan(&network)
			found[network]++
			return network, err
		}, `SELECT network FROM seat WHERE room_id = $1`, c.room.ID)
		return err
	})
	if err != nil {
		c.t.Fatal(err)
	}
	return found
}

// fill adds seats of a network until it has as many as wanted.
func (c *crowdedRoom) fill(network string, wanted int, as seat.Status) {
	c.t.Helper()
	err := c.DB().Write(c.t.Context(), func(tx *db.Tx) error {
		for i := c.networks()[network]; i < wanted; i++ {
			held := seat.Seat{
				RoomID:      c.room.ID,
				WorkspaceID: c.room.WorkspaceID,
				Holder:      seat.Holder{Identity: fmt.Sprintf("guest_%d%s.x", i, network), Kind: seat.KindGuest, Name: "Gus", Role: api.RoleParticipant, TicketHash: seat.TicketHash(fmt.Sprintf("ticket %d%s", i, network)), Network: network},
				Status:      as,
				Connection:  seat.Connection{LetThroughAt: c.Now()},
				CreatedAt:   c.Now(),
			}
			if as == seat.Waiting {
				held.WaitingSince, held.AwayAt = c.Now(), c.Now()
			}
			if err := seat.Save(c.t.Context(), tx, held); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		c.t.Fatal(err)
	}
}

// here is how the seats remember the network from which this test's requests
// come.
func (c *crowdedRoom) here() string {
	c.t.Helper()
	if first := c.join("", ""); first.Status != http.StatusOK {
		c.t.Fatalf("the first seat: %d %s", first.Status, first.Body)
	}
	for network := range c.networks() {
		if network == "" || strings.Contains(network, "127") && strings.Contains(network, ".") {
			c.t.Errorf("the network is remembered as %q", network)
		}
		return network
	}
	return ""
}

// One network takes a quarter of the seats that wait, or of those that are not
// used yet, and the rest is for everybody else.
func TestOneNetworkTakesNoMoreThanItsShare(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		settings api.RoomSettingsUpdate
		as       seat.Status
		share    int
		of       string
	}{
		"waiting": {api.RoomSettingsUpdate{Admission: api.Set("knock")}, seat.Waiting, 500, "Too many people from your network are waiting to join this room. Try again in a minute."},
		"unused":  {api.RoomSettingsUpdate{}, seat.LetThrough, 1250, "Too many people from your network are about to join this room. Try again in a minute."},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dbtest.EachConfig(t, func(t *testing.T, where db.Config) {
				c := newCrowdedRoom(t, where, test.settings)
				here := c.here()
				c.fill(here, test.share-1, test.as)
				last := c.join("", "")
				if last.Status != http.StatusOK {
					t.Fatalf("the %dth seat of a network is refused: %d %s", test.share, last.Status, last.Body)
				}
				over := c.join("", "")
				if over.Status != http.StatusTooManyRequests || over.Code() != api.CodeWaitingFull || over.Refusal().Message != test.of {
					t.Errorf("seat %d of a network got %d %s", test.share+1, over.Status, over.Body)
				}
				if again := c.join("ticket 7"+here, ""); again.Status != http.StatusOK {
					t.Errorf("a person who has a seat already is refused: %d %s", again.Status, again.Body)
				}
				link, err := c.Joins.CreateLink(t.Context(), c.owner, c.room.ID, schema.Filled(api.JoinLinkCreate{Name: "Ben"}))
				if err != nil {
					t.Fatal(err)
				}
				_, secret, _ := strings.Cut(link.URL, "#join=")
				if invited := c.join("", secret); invited.Status != http.StatusOK {
					t.Errorf("the holder of a join link is refused: %d %s", invited.Status, invited.Body)
				}
				// Seats of another network reduce the share of this one, which has more already.
				c.fill("elsewhere", 100, test.as)
				if got := c.networks()["elsewhere"]; got != 100 {
					t.Errorf("another network has %d seats", got)
				}
				if over := c.join("", ""); over.Code() != api.CodeWaitingFull {
					t.Errorf("with another network's seats beside it: %d %s", over.Status, over.Body)
				}
			})
		})
	}
}

// A network that takes seats and gives them up as often as it likes leaves nothing
// behind: neither in a waiting room nor in an open room, and not by going away either.
func TestSeatsThatAreGivenUpLeaveNothing(t *testing.T) {
	t.Parallel()
	for name, settings := range map[string]api.RoomSettingsUpdate{
		"waiting": {Admission: api.Set("knock")}, "early": {BeforeHost: api.Set("wait")}, "unused": {},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dbtest.EachConfig(t, func(t *testing.T, where db.Config) {
				c := newCrowdedRoom(t, where, settings)
				for range 60 { // more than the share that a network always has
					joined := c.join("", "")
					var held struct{ Ticket string }
					if err := json.Unmarshal(joined.Body, &held); err != nil || joined.Status != http.StatusOK {
						t.Fatalf("%d %s", joined.Status, joined.Body)
					}
					c.leave(held.Ticket)
					if again := c.Send(servertest.Request{Method: http.MethodPost, Path: "/meet/v1/leave", Bearer: held.Ticket}); again.Code() != api.CodeTicketInvalid {
						t.Fatalf("the ticket of a seat that was given up: %d %s", again.Status, again.Body)
					}
				}
				if n := c.seats() + c.Count("seat_alias"); n != 0 {
					t.Errorf("%d seats and aliases are left", n)
				}
			})
		})
	}
}

// People who wait and go away have left as well.
func TestWaitingPeopleWhoGoAwayLeaveNothing(t *testing.T) {
	t.Parallel()
	dbtest.EachConfig(t, func(t *testing.T, where db.Config) {
		c := newCrowdedRoom(t, where, api.RoomSettingsUpdate{Admission: api.Set("knock")})
		for range 5 {
			if joined := c.join("", ""); joined.Status != http.StatusOK {
				t.Fatalf("%d %s", joined.Status, joined.Body)
			}
		}
		c.Advance(30*time.Second - time.Millisecond)
		if n := c.seats(); n != 5 {
			t.Errorf("after just less than half a minute there are %d seats, want 5", n)
		}
		c.Advance(time.Millisecond)
		if n := c.seats() + c.Count("seat_alias"); n != 0 {
			t.Errorf("after half a minute %d seats and aliases are left", n)
		}
	})
}

// A seat that was given up is kept while something has to be remembered of it.
func TestSeatsThatAreGivenUpAreKept(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*seat.Seat){
		"a host turned the person away":        func(s *seat.Seat) { s.Denials = 1 },
		"a host let the person in":             func(s *seat.Seat) { s.Admitted = true },
		"a host gave the person their powers":  func(s *seat.Seat) { s.Cohost = true },
		"a host muted the person":              func(s *seat.Seat) { s.MutedAt = s.CreatedAt },
		"the person was in the meeting":        func(s *seat.Seat) { s.JoinedAt = s.CreatedAt },
		"the device was late, and has to wait": func(s *seat.Seat) { s.Late, s.LateAt = 1, s.CreatedAt },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dbtest.EachConfig(t, func(t *testing.T, where db.Config) {
				c := newCrowdedRoom(t, where, api.RoomSettingsUpdate{Admission: api.Set("knock")})
				for _, goes := range []func(ticket string){c.leave, func(string) { c.Advance(30 * time.Second) }} {
					joined := c.join("", "")
					var held struct{ Identity, Ticket string }
					if err := json.Unmarshal(joined.Body, &held); err != nil || joined.Status != http.StatusOK {
						t.Fatalf("%d %s", joined.Status, joined.Body)
					}
					c.change(held.Identity, change)
					goes(held.Ticket)
					if n := c.Count("seat WHERE identity = $1 AND status = 'left'", held.Identity); n != 1 {
						t.Errorf("%d seats are kept, want 1", n)
					}
				}
			})
		})
	}
}

// The network of a seat is forgotten when the seat no longer counts for its
// share.
func TestTheNetworkOfASeatIsForgotten(t *testing.T) {
	t.Parallel()
	for name, step := range map[string]func(c *crowdedRoom, identity, ticket, token string){
		"when they are in": func(c *crowdedRoom, _, _, token string) {
			upstream, _, err := c.Joins.LetThrough(c.t.Context(), token)
			if err == nil {
				_, err = c.Media.Connect(upstream)
			}
			if err != nil {
				c.t.Fatal(err)
			}
			c.Settle()
		},
		"when they leave, with the seat": func(c *crowdedRoom, _, ticket, _ string) { c.leave(ticket) },
		"when they leave, and the seat is kept": func(c *crowdedRoom, identity, ticket, _ string) {
			c.change(identity, func(s *seat.Seat) { s.Admitted = true })
			c.leave(ticket)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dbtest.EachConfig(t, func(t *testing.T, where db.Config) {
				c := newCrowdedRoom(t, where, api.RoomSettingsUpdate{})
				joined := c.join("", "")
				var held struct{ Identity, Ticket, Token string }
				if err := json.Unmarshal(joined.Body, &held); err != nil || joined.Status != http.StatusOK {
					t.Fatalf("%d %s", joined.Status, joined.Body)
				}
				if got := c.networks(); len(got) != 1 || got[""] != 0 {
					t.Fatalf("the new seat remembers %v", got)
				}
				step(c, held.Identity, held.Ticket, held.Token)
				if got := c.networks(); len(got) > 1 || len(got) != got[""] {
					t.Errorf("the seat still remembers %v", got)
				}
			})
		})
	}
}

// When a room is deleted, the waiting ends and the networks are forgotten.
func TestTheNetworksOfWaitingPeopleAreForgotten(t *testing.T) {
	t.Parallel()
	dbtest.EachConfig(t, func(t *testing.T, where db.Config) {
		c := newCrowdedRoom(t, where, api.RoomSettingsUpdate{Admission: api.Set("knock")})
		c.here()
		key := c.Key(c.room.WorkspaceID, api.Scopes()...)
		if a := c.Send(servertest.Request{Method: http.MethodDelete, Path: "/api/v1/rooms/" + c.room.ID, Bearer: key}); a.Status != http.StatusOK {
			t.Fatalf("%d %s", a.Status, a.Body)
		}
		if got := c.networks(); got[""] != 1 {
			t.Errorf("afterwards seats remember %v", got)
		}
	})
}
