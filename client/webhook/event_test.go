package webhook

import (
	"errors"
	"testing"

	"github.com/conclave-rooms/conclave/api"
)

const joined = `{"id": "evt_01", "type": "participant.joined", "created_at": "2026-11-22T10:00:00.000Z", "data": {
	"room": {"id": "r1", "code": "abc-defg-hjk", "name": "Weekly review"}, "participant": {"identity": "api_ada.k3", "name": "Ada", "role": "host"},
	"occurred_at": "2026-11-22T09:59:59.987Z", "added_later": 1}, "added_later": {}}`

func TestParse(t *testing.T) {
	t.Parallel()
	e, err := Parse([]byte(joined))
	if err != nil {
		t.Fatal(err)
	}
	data, ok := e.Data.(*api.ParticipantEvent)
	if !ok || data.Participant.Name != "Ada" || data.Room.Code != "abc-defg-hjk" || data.OccurredAt.String() != "2026-11-22T09:59:59.987Z" {
		t.Errorf("the data is %+v", e.Data)
	}
	if e.ID != "evt_01" || e.Type != api.EventParticipantJoined || e.CreatedAt.String() != "2026-11-22T10:00:00.000Z" {
		t.Errorf("the event is %+v", e)
	}
}

// A service may be newer than a receiver, so unknown types and fields are not an error.
func TestParseAcceptsUnknownTypesAndFields(t *testing.T) {
	t.Parallel()
	e, err := Parse([]byte(`{"id": "evt_02", "type": "planet.discovered", "created_at": "2026-11-22T10:00:00.000Z", "data": {"name": "Vulcan"}}`))
	if err != nil || e.Data != nil || e.Type != "planet.discovered" || string(e.Raw) != `{"name": "Vulcan"}` {
		t.Errorf("Parse = %+v, %v", e, err)
	}
}

func TestParseRefuses(t *testing.T) {
	t.Parallel()
	for _, body := range []string{
		"", "null", "[]", `"evt_01"`, "{", "{}", "not JSON",
		`{"type": "room.created", "created_at": "2026-11-22T10:00:00.000Z", "data": {}}`,
		`{"id": "evt_01", "created_at": "2026-11-22T10:00:00.000Z", "data": {}}`,
		`{"id": "evt_01", "type": "room.created", "data": {}}`,
		`{"id": "evt_01", "type": "room.created", "created_at": "yesterday", "data": {}}`,
		`{"id": "evt_01", "type": "room.created", "created_at": "2026-11-22T10:00:00.000Z"}`,
		`{"id": "evt_01", "type": "room.created", "created_at": "2026-11-22T10:00:00.000Z", "data": null}`,
		`{"id": "evt_01", "type": "room.created", "created_at": "2026-11-22T10:00:00.000Z", "data": []}`,
		`{"id": "evt_01", "type": "room.created", "created_at": "2026-11-22T10:00:00.000Z", "data": {"room": 7}}`,
		`{"id": "evt_01", "type": "room.created", "created_at": "2026-11-22T10:00:00.000Z", "data": {}} {}`,
	} {
		if e, err := Parse([]byte(body)); !errors.Is(err, ErrMalformedEvent) {
			t.Errorf("Parse(%s) = %+v, %v; want %v", body, e, err, ErrMalformedEvent)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(joined))
	f.Add([]byte(`{"id":"","type":"room.updated","data":{"previous_attributes":{"settings":{}}}}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		e, err := Parse(body)
		if err != nil && !errors.Is(err, ErrMalformedEvent) {
			t.Errorf("Parse: %v, which is not an error of this package", err)
		}
		if err == nil && (e.ID == "" || e.Type == "" || len(e.Raw) < 2) {
			t.Errorf("Parse accepted %q as %+v", body, e)
		}
	})
}
