package rest

import (
	"encoding/json"
	"log/slog"
	"net/http"
	"reflect"
	"testing"
	"time"
)

// early is JSON that was written before it is sent.
type early struct{ JSON []byte }

func (e early) MarshalJSON() ([]byte, error) { return e.JSON, nil }

func (early) Shows() any { return []move{} }

func TestTheDocumentDescribesTheEventsOfAStream(t *testing.T) {
	t.Parallel()
	edge := New(Config{Logger: slog.New(slog.DiscardHandler), Now: time.Now, PublicURL: "https://meet.example.com", Limits: Limits{Off: true}})
	g := edge.Group("/meet/v1", authenticatePads)
	HandleRaw(g, Op{ID: "follow", Method: http.MethodGet, Path: "/events", Produces: "text/event-stream", Summary: "Follow"},
		func(http.ResponseWriter, *http.Request) error { return nil })
	AddEvent(g, "paper", "The paper.", (*paper)(nil))
	AddEvent(g, "moves", "", struct {
		All early `json:"all"`
	}{})
	raw, err := g.Document()
	if err != nil {
		t.Fatal(err)
	}
	var doc struct {
		Paths map[string]map[string]struct {
			Responses map[string]struct {
				Content map[string]map[string]json.RawMessage
			}
		}
	}
	if err := json.Unmarshal(raw, &doc); err != nil {
		t.Fatal(err)
	}
	written := doc.Paths["/events"]["get"].Responses["200"].Content["text/event-stream"]["x-events"]
	var got, want any
	if err := json.Unmarshal(written, &got); err != nil {
		t.Fatal(err)
	}
	err = json.Unmarshal([]byte(`{
		"paper": {"anyOf": [{"$ref": "#/components/schemas/paper"}, {"type": "null"}], "description": "The paper."},
		"moves": {"type": "object", "properties": {"all": {"type": "array", "items": {"$ref": "#/components/schemas/move"}}}, "required": ["all"]}
	}`), &want)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("the events are described as\n%s\nwant\n%s", written, want)
	}
}
