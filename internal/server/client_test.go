package server_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/client"
	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/db/dbtest"
	"github.com/conclave-rooms/conclave/internal/server/servertest"
)

// asks sends a client's requests to the service of a test, and notes the statuses.
type asks struct {
	*servertest.Service

	statuses []int
	// lose makes the answer to the next request get lost.
	lose bool
	// refused is called when the service answered 429.
	refused func()
}

func (a *asks) RoundTrip(r *http.Request) (*http.Response, error) {
	var body []byte
	if r.Body != nil {
		var err error
		if body, err = io.ReadAll(r.Body); err != nil {
			return nil, err
		}
	}
	got := a.Send(servertest.Request{Method: r.Method, Path: r.URL.RequestURI(), Header: r.Header, Body: string(body)})
	a.statuses = append(a.statuses, got.Status)
	if a.lose {
		a.lose = false
		return nil, errors.New("connection reset by peer")
	}
	if got.Status == http.StatusTooManyRequests {
		a.refused()
	}
	return &http.Response{StatusCode: got.Status, Header: got.Header, Body: io.NopCloser(bytes.NewReader(got.Body)), Request: r}, nil
}

func (a *asks) client(scopes ...api.Scope) client.Client {
	key := a.Key(a.Workspace("acme", "owner@acme.example"), scopes...)
	return client.Client{BaseURL: servertest.PublicURL, Key: key, HTTP: &http.Client{Transport: a}}
}

// A customer's server works with a room from its making to its deletion.
func TestTheClientUsesTheService(t *testing.T) {
	t.Parallel()
	each(t, servertest.Options{}, func(t *testing.T, s *servertest.Service) {
		ctx := t.Context()
		c := (&asks{Service: s}).client(api.Scopes()...)
		room, err := c.CreateRoom(ctx, api.RoomCreate{Name: "Weekly review", Settings: api.RoomSettingsUpdate{Admission: api.Set("knock")}})
		if err != nil || room.Settings.Admission != "knock" {
			t.Fatalf("make a room: %+v, %v", room, err)
		}
		token, err := c.CreateToken(ctx, room.ID, api.TokenCreate{Name: "Ada", UserID: api.Set("ada")})
		if err != nil || token.E2EEPassphrase == "" {
			t.Errorf("make a token: %+v, %v", token, err)
		}
		link, err := c.CreateJoinLink(ctx, room.ID, api.JoinLinkCreate{Name: "Ada", Role: api.Set("host")})
		if err != nil || link.Role != api.RoleHost {
			t.Errorf("make a join link: %+v, %v", link, err)
		}
		poll, err := c.CreatePoll(ctx, room.ID, api.PollCreate{Question: "Tea?", Options: []string{"yes", "no"}})
		if err != nil {
			t.Fatalf("ask a poll: %v", err)
		}
		if poll, err = c.UpdatePoll(ctx, poll.ID, api.PollUpdate{Status: "closed"}); err != nil || poll.Status != "closed" {
			t.Errorf("close a poll: %+v, %v", poll, err)
		}
		if polls, err := c.ListPolls(ctx, room.ID); err != nil || len(polls) != 1 {
			t.Errorf("list the polls: %+v, %v", polls, err)
		}
		split, err := c.StartBreakouts(ctx, room.ID, api.BreakoutCreate{Rooms: api.CountOrList[string]{Count: 2}})
		if err != nil || len(split.Rooms) != 2 || !split.AutoJoin {
			t.Errorf("start breakouts: %+v, %v", split, err)
		}
		room, err = c.UpdateRoom(ctx, room.ID, api.RoomUpdate{Description: api.Set("Every Friday"), Locked: api.Set(true)})
		if err != nil || !room.Locked || room.Settings.Admission != "knock" {
			t.Errorf("change a room: %+v, %v", room, err)
		}
		if gone, err := c.DeleteRoom(ctx, room.ID); err != nil || !gone.Deleted {
			t.Errorf("delete a room: %+v, %v", gone, err)
		}
		_, err = c.GetRoom(ctx, room.ID)
		refusal, refused := errors.AsType[*client.Error](err)
		if !refused || refusal.Status != http.StatusNotFound || refusal.Code != api.CodeNotFound || refusal.RequestID == "" {
			t.Errorf("a deleted room: %v; want not_found, with the id of the request", err)
		}
	})
}

// What a body leaves out gets its default, also where that is not Go's zero value.
func TestTheClientLeavesDefaultsToTheService(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t, dbtest.Config(t, db.SQLite), servertest.Options{AllowPrivate: true})
	c := (&asks{Service: s}).client(api.Scopes()...)
	endpoint, err := c.CreateWebhook(t.Context(), api.WebhookEndpointCreate{URL: "http://127.0.0.1:9/hooks", Events: []api.EventType{"*"}})
	if err != nil || !endpoint.Enabled || endpoint.Secret == "" {
		t.Fatalf("make an endpoint: %+v, %v; want it enabled", endpoint, err)
	}
	rotated, err := c.RotateWebhookSecret(t.Context(), endpoint.ID, api.WebhookSecretRotate{})
	if want := servertest.Epoch.Add(24 * time.Hour); err != nil || rotated.PreviousSecretExpiresAt == nil || !rotated.PreviousSecretExpiresAt.Equal(want) {
		t.Errorf("rotate its secret: %+v, %v; want the previous one until %v", rotated, err, want)
	}
	rotated, err = c.RotateWebhookSecret(t.Context(), endpoint.ID, api.WebhookSecretRotate{ExpirePreviousIn: api.Set(0)})
	if err != nil || rotated.PreviousSecretExpiresAt != nil {
		t.Errorf("rotate its secret at once: %+v, %v", rotated, err)
	}
}

func TestTheClientReadsWholeLists(t *testing.T) {
	t.Parallel()
	each(t, servertest.Options{}, func(t *testing.T, s *servertest.Service) {
		ctx := t.Context()
		a := &asks{Service: s}
		c := a.client(api.Scopes()...)
		var rooms, meetings []string // as they should be listed
		for i := range 5 {
			s.Advance(time.Second)
			room, err := c.CreateRoom(ctx, api.RoomCreate{Name: fmt.Sprintf("Room %d", i)})
			if err != nil {
				t.Fatal(err)
			}
			rooms = slices.Insert(rooms, 0, room.ID)
			starts := s.Now().Add(time.Duration(i+1) * time.Hour)
			meeting, err := c.CreateMeeting(ctx, api.MeetingCreate{Title: "Review", StartsAt: api.At(starts), EndsAt: api.At(starts.Add(time.Minute)), RoomID: api.Set(room.ID)})
			if err != nil {
				t.Fatal(err)
			}
			meetings = append(meetings, meeting.ID)
		}
		a.statuses = nil
		var got []string
		for room, err := range c.ListRooms(ctx, client.RoomQuery{PageSize: 2}) {
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, room.ID)
		}
		if !slices.Equal(got, rooms) || len(a.statuses) != 3 {
			t.Errorf("the rooms are %q after %d requests, want %q after 3", got, len(a.statuses), rooms)
		}
		got = nil
		for meeting, err := range c.ListMeetings(ctx, client.MeetingQuery{From: servertest.Epoch, PageSize: 2}) {
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, meeting.ID)
		}
		if !slices.Equal(got, meetings) {
			t.Errorf("the meetings are %q, want %q", got, meetings)
		}
		events := 0
		for event, err := range c.ListEvents(ctx, client.EventQuery{Type: api.EventRoomCreated, PageSize: 2}) {
			if err != nil {
				t.Fatal(err)
			}
			if event.Type == api.EventRoomCreated {
				events++
			}
		}
		if events != 5 {
			t.Errorf("%d rooms were created, want 5", events)
		}
	})
}

// When the answer to a creation is lost, the client asks again and gets the room that was
// made.
func TestALostAnswerDoesNotMakeASecondRoom(t *testing.T) {
	t.Parallel()
	each(t, servertest.Options{}, func(t *testing.T, s *servertest.Service) {
		a := &asks{Service: s, lose: true}
		c := a.client(api.Scopes()...)
		room, err := c.CreateRoom(t.Context(), api.RoomCreate{Name: "Weekly review"})
		if err != nil || !slices.Equal(a.statuses, []int{201, 201}) {
			t.Fatalf("make a room: %v after %v", err, a.statuses)
		}
		if rooms := s.Count("room WHERE name = $1", "Weekly review"); rooms != 1 {
			t.Errorf("%d rooms were made, want only %s", rooms, room.ID)
		}
	})
}

// A client beyond its rate learns how long to wait. Here its context ends, so that it does
// not wait for real.
func TestTheClientLearnsHowLongToWait(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t, dbtest.Config(t, db.SQLite), servertest.Options{RateLimits: true})
	ctx, cancel := context.WithCancel(t.Context())
	a := &asks{Service: s, refused: cancel}
	c := a.client(api.Scopes()...)
	var err error
	for err == nil && len(a.statuses) <= 100 {
		_, err = c.GetMe(ctx)
	}
	refusal, refused := errors.AsType[*client.Error](err)
	if !refused || len(a.statuses) != 101 {
		t.Fatalf("after %d requests: %v; want a refusal of number 101", len(a.statuses), err)
	}
	if refusal.Code != api.CodeRateLimited || refusal.RetryAfter != 5*time.Second || refusal.RequestID == "" {
		t.Errorf("the refusal is %+v", *refusal)
	}
	s.Advance(refusal.RetryAfter)
	if _, err := c.GetMe(t.Context()); err != nil {
		t.Errorf("after the time that the service asked for: %v", err)
	}
}
