package client_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/client"
)

// played stands for a service. It answers without a network, so that tests can use a fake
// clock: with one answer after the other, and then with an object that has the id "1".
type played struct {
	answers []answer
	got     []*http.Request
	bodies  []string
}

type answer func(w http.ResponseWriter) error

func (p *played) client() client.Client {
	return client.Client{BaseURL: "https://meet.example.com/", Key: "svc_test_key", HTTP: &http.Client{Transport: p}}
}

func (p *played) RoundTrip(r *http.Request) (*http.Response, error) {
	body := ""
	if r.Body != nil {
		raw, err := io.ReadAll(r.Body)
		if err != nil {
			return nil, err
		}
		body = string(raw)
	}
	p.got, p.bodies = append(p.got, r), append(p.bodies, body)
	w := httptest.NewRecorder()
	var lost error
	if len(p.answers) > 0 {
		lost = p.answers[0](w)
		p.answers = p.answers[1:]
	} else {
		_, _ = w.WriteString(`{"id": "1"}`)
	}
	if lost != nil && w.Body.Len() == 0 {
		return nil, lost
	}
	res := w.Result()
	if lost != nil {
		res.Body = io.NopCloser(io.MultiReader(res.Body, iotest.ErrReader(lost)))
	}
	return res, nil
}

// keys are the Idempotency-Keys that were sent.
func (p *played) keys() []string {
	keys := make([]string, len(p.got))
	for i, r := range p.got {
		keys[i] = r.Header.Get("Idempotency-Key")
	}
	return keys
}

func refuse(status int, code, retryAfter string) answer {
	return func(w http.ResponseWriter) error {
		if retryAfter != "" {
			w.Header().Set("Retry-After", retryAfter)
		}
		w.WriteHeader(status)
		return json.NewEncoder(w).Encode(api.ErrorResponse{Error: api.Error{Code: code, Message: "It is refused.", RequestID: "req_1"}})
	}
}

func hangUp(http.ResponseWriter) error { return errors.New("connection reset by peer") }

// half is an answer that ends in the middle.
func half(w http.ResponseWriter) error {
	_, _ = io.WriteString(w, `{"id"`)
	return io.ErrUnexpectedEOF
}

func busy(w http.ResponseWriter) error { return refuse(429, api.CodeRateLimited, "7")(w) }

func inUse(w http.ResponseWriter) error { return refuse(409, api.CodeIdempotencyKeyInUse, "")(w) }

func huge(w http.ResponseWriter) error {
	_, _ = w.Write(make([]byte, 16<<20+1))
	return nil
}

// Which requests are sent again, and after which pauses. A request that changes
// something is not sent again when it may have been carried out.
func TestWhichRequestsAreSentAgain(t *testing.T) {
	t.Parallel()
	read := func(ctx context.Context, c client.Client) error { _, err := c.GetRoom(ctx, "1"); return err }
	create := func(ctx context.Context, c client.Client) error {
		_, err := c.CreateRoom(ctx, api.RoomCreate{Name: "Weekly review"})
		return err
	}
	drop := func(ctx context.Context, c client.Client) error { _, err := c.DeleteRoom(ctx, "1"); return err }
	download := func(ctx context.Context, c client.Client) error { _, err := c.DownloadRecording(ctx, "1"); return err }
	for _, c := range []struct {
		name    string
		call    func(context.Context, client.Client) error
		answers []answer
		sent    int
		takes   time.Duration
		status  int // of the error; 0: none
	}{
		{"a read at once", read, nil, 1, 0, 0},
		{"a read after 429", read, []answer{busy}, 2, 7 * time.Second, 0},
		{"a read after 503", read, []answer{refuse(503, api.CodeServiceUnavailable, "3")}, 2, 3 * time.Second, 0},
		{"a read after 503 that asks for a day", read, []answer{refuse(503, "", "86400")}, 2, time.Minute, 0},
		{"a read after a date instead of seconds", read, []answer{refuse(503, "", "Fri, 20 Nov 2026 10:00:00 GMT")}, 2, time.Second, 0},
		{"a read after 500 and 502", read, []answer{refuse(500, api.CodeInternalError, ""), refuse(502, "", "")}, 3, 3 * time.Second, 0},
		{"a read without an answer", read, []answer{hangUp, half}, 3, 3 * time.Second, 0},
		{"a read after five failures", read, []answer{hangUp, hangUp, hangUp, hangUp, refuse(500, "", "")}, 5, 15 * time.Second, 500},
		{"a read that is refused", read, []answer{refuse(404, api.CodeNotFound, "")}, 1, 0, 404},
		{"a download after 500", download, []answer{refuse(500, api.CodeInternalError, "")}, 2, time.Second, 0},
		{"a creation after 429", create, []answer{busy}, 2, 7 * time.Second, 0},
		{"a creation after 503", create, []answer{refuse(503, api.CodeServiceUnavailable, "")}, 2, time.Second, 0},
		{"a creation without an answer", create, []answer{hangUp, half, refuse(504, "", "")}, 4, 7 * time.Second, 0},
		{"a creation whose first try goes on", create, []answer{hangUp, inUse}, 3, 3 * time.Second, 0},
		{"a creation after 500", create, []answer{refuse(500, api.CodeInternalError, "")}, 1, 0, 500},
		{"a creation that is refused", create, []answer{refuse(409, api.CodeLimitReached, "")}, 1, 0, 409},
		{"a deletion after 500", drop, []answer{refuse(500, api.CodeInternalError, "")}, 1, 0, 500},
		{"a deletion without an answer", drop, []answer{hangUp}, 2, time.Second, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				p := &played{answers: c.answers}
				began := time.Now()
				err := c.call(t.Context(), p.client())
				var status int
				if refusal, refused := errors.AsType[*client.Error](err); refused {
					status = refusal.Status
				}
				if len(p.got) != c.sent || time.Since(began) != c.takes || status != c.status || (err == nil) != (c.status == 0) {
					t.Errorf("after %d requests and %v: %v; want %d, %v, status %d", len(p.got), time.Since(began), err, c.sent, c.takes, c.status)
				}
			})
		})
	}
}

// All tries of a request have one Idempotency-Key and the same body, and another request
// has another key.
func TestTriesHaveOneIdempotencyKey(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := &played{answers: []answer{hangUp, busy}}
		for range 2 {
			if _, err := p.client().CreateRoom(t.Context(), api.RoomCreate{Name: "Weekly review"}); err != nil {
				t.Fatal(err)
			}
		}
		keys := p.keys()
		if len(keys) != 4 || len(keys[0]) < 20 || keys[1] != keys[0] || keys[2] != keys[0] || keys[3] == keys[0] {
			t.Errorf("the keys are %q; want the same three times, and then another", keys)
		}
		if want := slices.Repeat([]string{`{"name":"Weekly review"}`}, 4); !slices.Equal(p.bodies, want) {
			t.Errorf("the bodies are %q; want %q", p.bodies, want)
		}

		p = new(played)
		if _, err := p.client().WithIdempotencyKey("order 1042").CreateRoom(t.Context(), api.RoomCreate{Name: "Weekly review"}); err != nil {
			t.Fatal(err)
		}
		if _, err := p.client().GetRoom(t.Context(), "1"); err != nil {
			t.Fatal(err)
		}
		if keys := p.keys(); !slices.Equal(keys, []string{"order 1042", ""}) {
			t.Errorf("the keys are %q; want the chosen one, and none for a request that reads", keys)
		}
	})
}

func TestTheContextEndsTheWaiting(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := &played{answers: []answer{busy}}
		ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
		defer cancel()
		began := time.Now()
		_, err := p.client().GetRoom(ctx, "1")
		refusal, refused := errors.AsType[*client.Error](err)
		if !errors.Is(err, context.DeadlineExceeded) || !refused || refusal.Status != 429 || time.Since(began) != 300*time.Millisecond {
			t.Errorf("after %v: %v; want %v at once, and the refusal", time.Since(began), err, context.DeadlineExceeded)
		}
	})
}

// An error that another try would not fix is returned at once, and nothing is sent.
func TestAnInvalidRequestIsNotSent(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	for name, try := range map[string]func(client.Client) error{
		"an empty id":             func(c client.Client) error { _, err := c.GetRoom(ctx, ""); return err },
		"an id of dots":           func(c client.Client) error { _, err := c.RemoveParticipant(ctx, "1", ".."); return err },
		"a key with a line end":   func(c client.Client) error { c.Key += "\n"; _, err := c.GetMe(ctx); return err },
		"no address":              func(c client.Client) error { c.BaseURL = ""; _, err := c.GetMe(ctx); return err },
		"an address with no host": func(c client.Client) error { c.BaseURL = "meet.example.com"; _, err := c.GetMe(ctx); return err },
		"an Idempotency-Key with a line end": func(c client.Client) error {
			_, err := c.WithIdempotencyKey("a\nb").DeleteRoom(ctx, "1")
			return err
		},
	} {
		p := new(played)
		if err := try(p.client()); err == nil || len(p.got) > 0 || strings.Contains(err.Error(), "svc_test") {
			t.Errorf("%s: %v after %d requests; want an error without the key, and none", name, err, len(p.got))
		}
	}
}

// An id stays one part of the path, whatever it is made of.
func TestIDsAreEscaped(t *testing.T) {
	t.Parallel()
	p := new(played)
	if _, err := p.client().MuteParticipant(t.Context(), "1", "../a b?c#d%"); err != nil {
		t.Fatal(err)
	}
	if got, want := p.got[0].URL.String(), "https://meet.example.com/api/v1/rooms/1/participants/..%2Fa%20b%3Fc%23d%25/mute"; got != want {
		t.Errorf("the request goes to %s, want %s", got, want)
	}
}

func TestAnUnreadableAnswerIsAnError(t *testing.T) {
	t.Parallel()
	for name, a := range map[string]answer{
		"too large": huge,
		"a page":    func(w http.ResponseWriter) error { _, err := io.WriteString(w, "<html>"); return err },
	} {
		p := &played{answers: []answer{a}}
		if _, err := p.client().GetRoom(t.Context(), "1"); err == nil || len(p.got) != 1 {
			t.Errorf("%s: %v after %d requests; want an error after one", name, err, len(p.got))
		}
	}
}

// The key goes only to BaseURL, even when the answer is a redirect to the same host.
func TestTheKeyIsSentOnlyToBaseURL(t *testing.T) {
	t.Parallel()
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("a redirect was followed") }))
	t.Cleanup(elsewhere.Close)
	for _, to := range []string{elsewhere.URL + "/api/v1/rooms", "/elsewhere"} {
		asked := 0
		service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if asked++; r.URL.Path != "/api/v1/rooms" || r.Header.Get("Authorization") != "Bearer svc_test_key" {
				t.Errorf("%s was asked with %q", r.URL, r.Header.Get("Authorization"))
			}
			http.Redirect(w, r, to, http.StatusTemporaryRedirect)
		}))
		t.Cleanup(service.Close)
		c := client.Client{BaseURL: service.URL + "/api/v1/", Key: "svc_test_key"}
		_, err := c.CreateRoom(t.Context(), api.RoomCreate{Name: "Weekly review"})
		refusal, refused := errors.AsType[*client.Error](err)
		if !refused || refusal.Status != http.StatusTemporaryRedirect || !strings.Contains(refusal.Message, to) || asked != 1 {
			t.Errorf("a redirect to %s: %v after %d requests; want an error that names it", to, err, asked)
		}
	}
}
