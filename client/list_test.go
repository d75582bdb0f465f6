package client_test

import (
	"errors"
	"io"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/client"
)

func say(text string) answer {
	return func(w http.ResponseWriter) error { _, err := io.WriteString(w, text); return err }
}

// queries are those of the requests.
func (p *played) queries() []string {
	queries := make([]string, len(p.got))
	for i, r := range p.got {
		queries[i] = r.URL.RawQuery
	}
	return queries
}

func TestAListFetchesPageAfterPage(t *testing.T) {
	t.Parallel()
	page := func() []answer {
		return []answer{
			say(`{"object": "list", "data": [{"id": "1"}, {"id": "2"}], "has_more": true}`),
			say(`{"object": "list", "data": [{"id": "3"}], "has_more": false}`),
		}
	}
	p := &played{answers: append(page(), page()...)}
	list := p.client().ListRooms(t.Context(), client.RoomQuery{StartingAfter: "0", PageSize: 2})
	for range 2 { // a sequence can be read again
		var ids []string
		for room, err := range list {
			if err != nil {
				t.Fatal(err)
			}
			ids = append(ids, room.ID)
		}
		if !slices.Equal(ids, []string{"1", "2", "3"}) {
			t.Errorf("the list is %q", ids)
		}
	}
	want := []string{"limit=2&starting_after=0", "limit=2&starting_after=2"}
	if got := p.queries(); !slices.Equal(got, slices.Concat(want, want)) {
		t.Errorf("the requests are %q, want %q, twice", got, want)
	}

	p = &played{answers: page()}
	for range p.client().ListRooms(t.Context(), client.RoomQuery{}) {
		break
	}
	if got := p.queries(); !slices.Equal(got, []string{"limit=100"}) {
		t.Errorf("after one room, the requests are %q; want only the first page", got)
	}
}

func TestAListEndsWithAnError(t *testing.T) {
	t.Parallel()
	p := &played{answers: []answer{say(`{"data": [{"id": "1"}], "has_more": true}`), refuse(400, api.CodeParameterInvalid, "")}}
	rooms, failed := 0, 0
	for _, err := range p.client().ListRooms(t.Context(), client.RoomQuery{}) {
		if err == nil {
			rooms++
			continue
		}
		failed++
		if refusal, refused := errors.AsType[*client.Error](err); !refused || refusal.Code != api.CodeParameterInvalid {
			t.Errorf("the list ends with %v", err)
		}
	}
	if rooms != 1 || failed != 1 {
		t.Errorf("%d rooms and %d errors, want one of each", rooms, failed)
	}
}

// What a query leaves out is not sent, because the service refuses empty parameters.
func TestQueries(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 20, 11, 0, 0, 0, time.FixedZone("", 3600))
	empty := `{"data": [], "has_more": false}`
	p := &played{answers: slices.Repeat([]answer{say(empty)}, 4)}
	c := p.client()
	for range c.ListRecordings(t.Context(), client.RecordingQuery{}) {
		t.Error("an empty list has a recording")
	}
	for range c.ListRecordings(t.Context(), client.RecordingQuery{RoomID: "r", PageSize: 1}) {
		t.Error("an empty list has a recording")
	}
	for range c.ListEvents(t.Context(), client.EventQuery{Type: api.EventRoomStarted, StartingAfter: "e"}) {
		t.Error("an empty list has an event")
	}
	for range c.ListMeetings(t.Context(), client.MeetingQuery{From: at, To: at.Add(time.Hour)}) {
		t.Error("an empty list has a meeting")
	}
	want := []string{
		"limit=100", "limit=1&room_id=r", "limit=100&starting_after=e&type=room.started",
		"from=2026-11-20T10%3A00%3A00.000Z&limit=100&to=2026-11-20T11%3A00%3A00.000Z",
	}
	if got := p.queries(); !slices.Equal(got, want) {
		t.Errorf("the queries are %q, want %q", got, want)
	}
}

// All pages of scheduled meetings have the same beginning.
func TestAllPagesOfMeetingsHaveTheSameBeginning(t *testing.T) {
	t.Parallel()
	p := &played{answers: []answer{say(`{"data": [{"id": "1", "starts_at": "2026-11-20T10:00:00.000Z"}], "has_more": true}`), say(`{"data": []}`)}}
	for _, err := range p.client().ListMeetings(t.Context(), client.MeetingQuery{}) {
		if err != nil {
			t.Fatal(err)
		}
	}
	if len(p.got) != 2 || p.got[0].URL.Query().Get("from") == "" || p.got[0].URL.Query().Get("from") != p.got[1].URL.Query().Get("from") {
		t.Errorf("the requests are %q, want two from the same time", p.queries())
	}
}

func TestListsWithoutPages(t *testing.T) {
	t.Parallel()
	p := &played{answers: []answer{say(`{"object": "list", "data": [{"identity": "api_ada"}]}`)}}
	waiting, err := p.client().ListWaiting(t.Context(), "1")
	if err != nil || len(waiting) != 1 || waiting[0].Identity != "api_ada" {
		t.Errorf("%+v wait, %v", waiting, err)
	}
}
