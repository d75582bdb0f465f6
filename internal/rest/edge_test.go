package rest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/auth"
	"github.com/conclave-rooms/conclave/internal/fault"
	"github.com/conclave-rooms/conclave/internal/logtest"
)

// The fixture of these tests: a small feature, pads, in a group that knows a
// few keys. The key's name is the rate subject, and the table lists its scopes.

type pad struct {
	Object  string       `json:"object" enum:"pad" doc:"Always pad."`
	ID      string       `json:"id" format:"uuid" doc:"Id."`
	Name    string       `json:"name" doc:"Name."`
	Note    *string      `json:"note" nullable:"true" doc:"Note."`
	Locked  bool         `json:"locked" doc:"Locked."`
	Paper   paper        `json:"paper" doc:"Paper."`
	Made    api.Time     `json:"made" doc:"When it was made."`
	Deleted bool         `json:"deleted,omitempty" doc:"Gone."`
	Tags    []string     `json:"tags" doc:"Tags."`
	Extra   *json.Number `json:"-"`
}

func (p pad) Location() string { return "/pads/" + p.ID }

type paper struct {
	Size  string `json:"size" enum:"a4,a5" doc:"Size."`
	Ruled bool   `json:"ruled" doc:"Ruled."`
	Kind  string `json:"kind" doc:"Read-only kind."`
}

type padCreate struct {
	Name   string                  `json:"name" minLength:"1" maxLength:"8" doc:"Name." example:"Notes"`
	Note   api.Opt[string]         `json:"note,omitzero" maxLength:"5" nullable:"true" multiline:"true" doc:"Note."`
	Paper  paperUpdate             `json:"paper,omitzero" doc:"Paper."`
	Count  api.Opt[int]            `json:"count,omitzero" minimum:"2" maximum:"4" doc:"Count."`
	Ratio  api.Opt[float64]        `json:"ratio,omitzero" minimum:"0.5" doc:"Ratio."`
	Due    api.Opt[api.Time]       `json:"due,omitzero" nullable:"true" doc:"Due."`
	Tags   []string                `json:"tags,omitempty" minItems:"1" maxItems:"3" maxLength:"4" uniqueItems:"true" doc:"Tags."`
	Moves  []move                  `json:"moves,omitempty" doc:"Moves."`
	Code   *string                 `json:"code,omitempty" pattern:"^[a-z]+$" patternDoc:"lower-case letters" doc:"Code."`
	Owner  api.Opt[string]         `json:"owner,omitzero" format:"uuid" doc:"Owner."`
	Link   api.Opt[string]         `json:"link,omitzero" format:"uri" doc:"Link."`
	Secret string                  `json:"secret,omitempty" raw:"true" doc:"Secret."`
	Copies int                     `json:"copies,omitzero" default:"3" minimum:"1" doc:"Copies."`
	Pages  api.CountOrList[string] `json:"pages,omitzero" minimum:"1" maximum:"5" minItems:"1" maxItems:"2" maxLength:"4" doc:"Pages."`
	Raw    api.Opt[[]paper]        `json:"raw,omitzero" doc:"List in an Opt."`
	Target api.Opt[string]         `json:"-"`
	Meta   map[string]any          `json:"meta,omitempty" doc:"Anything."`
}

type move struct {
	Who  string `json:"who" doc:"Who."`
	Room int    `json:"room" minimum:"0" doc:"Where."`
}

type padUpdate struct {
	Name  api.Opt[string] `json:"name,omitzero" minLength:"1" maxLength:"8" doc:"Name."`
	Note  api.Opt[string] `json:"note,omitzero" maxLength:"5" nullable:"true" doc:"Note."`
	Paper paperUpdate     `json:"paper,omitzero" doc:"Paper."`
}

type paperUpdate struct {
	Size  api.Opt[string] `json:"size,omitzero" enum:"a4,a5" default:"a4" doc:"Size."`
	Ruled api.Opt[bool]   `json:"ruled,omitzero" default:"false" doc:"Ruled."`
}

const padID = "0192f3a1-7c3e-7d3a-9a41-3b6f0e5d2c11"

func aPad() pad {
	return pad{
		Object: "pad", ID: padID, Name: "Notes", Paper: paper{Size: "a4", Kind: "plain"},
		Made: api.Millis(1763632800000), Tags: []string{"x"},
	}
}

type padPath struct {
	ID string `path:"room_id"`
}

// padServer is an edge with pads, and records what its handlers got.
type padServer struct {
	*Edge
	group *Group
	log   *logtest.Book

	mu      sync.Mutex
	seen    []any
	handler func(ctx context.Context) error // called first by the next create
	changes int                             // how often the pad was changed, which its time shows
}

// asItIs returns the pad with all changes so far.
func (w *padServer) asItIs() pad {
	w.mu.Lock()
	defer w.mu.Unlock()
	p := aPad()
	p.Made = api.At(p.Made.Add(time.Duration(w.changes) * time.Second))
	return p
}

func (w *padServer) saw(in any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.seen = append(w.seen, in)
}

func (w *padServer) count() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.seen)
}

func authenticatePads(ctx context.Context, bearer string) (context.Context, string, error) {
	switch bearer {
	case "all":
		return auth.WithPrincipal(ctx, auth.Principal{KeyID: "all", WorkspaceID: "w1", Scopes: api.Scopes()}), "all", nil
	case "other":
		return auth.WithPrincipal(ctx, auth.Principal{KeyID: "other", WorkspaceID: "w2", Scopes: api.Scopes()}), "other", nil
	case "readonly":
		return auth.WithPrincipal(ctx, auth.Principal{KeyID: "readonly", WorkspaceID: "w1", Scopes: []api.Scope{api.ScopeRoomsRead}}), "readonly", nil
	case "broken":
		return nil, "", errors.New("the key table is on fire")
	}
	return nil, "", fault.New(fault.Unauthenticated, api.CodeAPIKeyInvalid, "The API key is malformed or unknown.")
}

func newPadServer(t testing.TB, change func(*Config)) *padServer {
	t.Helper()
	w := &padServer{log: &logtest.Book{}}
	now := time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC)
	c := Config{
		Logger:    slog.New(slog.NewTextHandler(w.log, nil)),
		Now:       func() time.Time { return now },
		PublicURL: "https://meet.example.com",
		Version:   "1.2.3",
	}
	if change != nil {
		change(&c)
	}
	w.Edge = New(c)
	w.group = w.Group("/api/v1", authenticatePads, Titled("Pads", "Paper."))
	w.register()
	return w
}

func (w *padServer) register() {
	d := w.group
	Handle(d, Op{ID: "listPads", Method: "GET", Path: "/pads", Scope: api.ScopeRoomsRead, Summary: "List pads", Tag: "Pads"},
		func(_ context.Context, in *struct {
			Limit int           `query:"limit" minimum:"1" maximum:"100" default:"25" doc:"How many."`
			After string        `query:"starting_after" doc:"After this pad."`
			From  *api.Time     `query:"from" doc:"From."`
			Open  api.Opt[bool] `query:"open" doc:"Open."`
		},
		) (api.List[pad], error) {
			w.saw(*in)
			return api.ListOf[pad](nil, false), nil
		})
	Handle(d, Op{
		ID: "createPad", Method: "POST", Path: "/pads", Scope: api.ScopeRoomsWrite, Status: 201, Object: pad{}, Summary: "Make a pad", Tag: "Pads",
		Errors: []string{api.CodeRoomLocked},
	}, func(ctx context.Context, in *struct{ Body padCreate }) (pad, error) {
		w.saw(in.Body)
		w.mu.Lock()
		h := w.handler
		w.mu.Unlock()
		if h != nil {
			if err := h(ctx); err != nil {
				return pad{}, err
			}
		}
		p := aPad()
		p.Name = in.Body.Name
		return p, nil
	}, Current(func(context.Context, *struct{ Body padCreate }) (any, error) {
		return pad{Object: "pad", Paper: paper{Size: "a4", Kind: "plain"}}, nil
	}))
	Handle(d, Op{ID: "getPad", Method: "GET", Path: "/pads/{room_id}", Scope: api.ScopeRoomsRead, Summary: "Get a pad", Tag: "Pads"},
		func(_ context.Context, in *padPath) (pad, error) {
			w.saw(*in)
			if in.ID != padID {
				return pad{}, fault.Missing()
			}
			return aPad(), nil
		})
	type update struct {
		ID   string `path:"room_id"`
		Body padUpdate
	}
	Handle(d, Op{ID: "updatePad", Method: "PATCH", Path: "/pads/{room_id}", Scope: api.ScopeRoomsWrite, Object: pad{}, Summary: "Change a pad", Tag: "Pads"},
		func(_ context.Context, in *update) (pad, error) {
			w.saw(in.Body)
			if in.ID != padID {
				return pad{}, fault.Missing()
			}
			w.mu.Lock()
			w.changes++
			w.mu.Unlock()
			return w.asItIs(), nil
		}, Current(func(_ context.Context, in *update) (any, error) {
			if in.ID != padID {
				return nil, fault.Missing()
			}
			return w.asItIs(), nil
		}))
	Handle(d, Op{ID: "announce", Method: "POST", Path: "/pads/{room_id}/announce", Scope: api.ScopeRoomsWrite, Summary: "Announce", Tag: "Pads"},
		func(ctx context.Context, in *padPath) (pad, error) {
			w.saw(*in)
			return aPad(), Count(ctx, ClassAnnouncements, auth.From(ctx).WorkspaceID+"/"+in.ID)
		})
	Handle(d, Op{ID: "makeToken", Method: "POST", Path: "/tokens", Scope: api.ScopeTokensCreate, Secret: true, Limit: ClassTokens, Summary: "Token", Tag: "Pads"},
		func(_ context.Context, in *struct{}) (pad, error) { w.saw(*in); return aPad(), nil })
	Handle(d, Op{ID: "getMe", Method: "GET", Path: "/me", Summary: "Me", Tag: "Pads"},
		func(context.Context, *struct{}) (pad, error) { return aPad(), nil })
	Handle(d, Op{ID: "explode", Method: "POST", Path: "/explode", Summary: "Explode", Tag: "Pads"},
		func(context.Context, *struct{}) (pad, error) { panic("boom: secret stuff") })
	Handle(d, Op{ID: "fail", Method: "POST", Path: "/fail", Summary: "Fail", Tag: "Pads"},
		func(context.Context, *struct{}) (pad, error) {
			return pad{}, errors.New("dial tcp 10.0.0.7: secret detail")
		})
	HandleRaw(d, Op{ID: "stream", Method: "GET", Path: "/stream", Produces: "text/event-stream", Summary: "Stream", Tag: "Pads"},
		func(rw http.ResponseWriter, r *http.Request) error {
			if r.URL.Query().Get("refuse") != "" {
				return fault.Missing()
			}
			rw.Header().Set("Content-Type", "text/event-stream")
			_, _ = io.WriteString(rw, ": hello\n\n")
			if err := http.NewResponseController(rw).Flush(); err != nil {
				return err
			}
			if r.URL.Query().Get("cut") != "" {
				return errors.New("lost the source")
			}
			return nil
		})
}

// call sends a request straight to the edge.
func (w *padServer) call(t testing.TB, method, target, body string, headers ...string) *http.Response {
	t.Helper()
	var reader io.Reader
	if body != "" {
		reader = strings.NewReader(body)
	}
	r := httptest.NewRequestWithContext(t.Context(), method, "http://meet.example.com"+target, reader)
	r.Header.Set("Authorization", "Bearer all")
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Del(headers[i])
		if headers[i+1] != "" {
			r.Header.Set(headers[i], headers[i+1])
		}
	}
	rec := httptest.NewRecorder()
	w.ServeHTTP(rec, r)
	return rec.Result()
}

// refusalOf reads an envelope and checks the fields that every envelope has.
func refusalOf(t testing.TB, res *http.Response) api.Error {
	t.Helper()
	raw, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatalf("read the answer: %v", err)
	}
	var body api.ErrorResponse
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&body); err != nil {
		t.Fatalf("the answer of status %d is not an envelope: %v\n%s", res.StatusCode, err, raw)
	}
	e := body.Error
	if e.Type == "" || e.Code == "" || e.Message == "" || e.DocURL != "https://meet.example.com/docs/errors#"+e.Code {
		t.Errorf("the envelope is incomplete: %s", raw)
	}
	if e.RequestID == "" || e.RequestID != res.Header.Get("Request-Id") {
		t.Errorf("the envelope's request id is %q, the header's %q", e.RequestID, res.Header.Get("Request-Id"))
	}
	if doc, ok := codeDoc(e.Code); !ok || doc.Status != res.StatusCode || doc.Type != e.Type {
		t.Errorf("%s is answered %d %s, the table says %d %s", e.Code, res.StatusCode, e.Type, doc.Status, doc.Type)
	}
	return e
}

func TestTheFirstFailedCheckDecidesTheAnswer(t *testing.T) {
	t.Parallel()
	// Each request is also wrong for every later step, so that only the order
	// decides the answer.
	big := `{"name": "` + strings.Repeat("x", MaxBody) + `"`
	tests := []struct {
		name, method, path, body string
		headers                  []string
		status                   int
		code                     string
	}{
		{"route", "BREW", "/api/v1/nothing", big, []string{"Authorization", ""}, 404, api.CodeRouteNotFound},
		{"method", "BREW", "/api/v1/pads", big, []string{"Authorization", ""}, 405, api.CodeMethodNotAllowed},
		{"key missing", "POST", "/api/v1/pads", big, []string{"Authorization", "", "Content-Type", "text/plain"}, 401, api.CodeAPIKeyMissing},
		{"key unknown", "POST", "/api/v1/pads", big, []string{"Authorization", "Bearer nobody", "Content-Type", "text/plain"}, 401, api.CodeAPIKeyInvalid},
		{"scope", "POST", "/api/v1/pads", big, []string{"Authorization", "Bearer readonly", "Content-Type", "text/plain"}, 403, api.CodeInsufficientScope},
		{"media type", "POST", "/api/v1/pads", big, []string{"Content-Type", "text/plain"}, 415, api.CodeUnsupportedMediaType},
		{"size", "POST", "/api/v1/pads", big, nil, 413, api.CodePayloadTooLarge},
		{"JSON", "POST", "/api/v1/pads?colour=red", `{"name": 1,`, nil, 400, api.CodeInvalidJSON},
		{"fields before the object", "PATCH", "/api/v1/pads/nothing", `{"name": 1}`, nil, 400, api.CodeParameterInvalid},
		{"object", "PATCH", "/api/v1/pads/nothing", `{"name": "x"}`, nil, 404, api.CodeNotFound},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			w := newPadServer(t, nil)
			res := w.call(t, test.method, test.path, test.body, test.headers...)
			if e := refusalOf(t, res); res.StatusCode != test.status || e.Code != test.code {
				t.Errorf("got %d %s, want %d %s", res.StatusCode, e.Code, test.status, test.code)
			}
		})
	}
}
