package rest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/db/dbtest"
	"github.com/conclave-rooms/conclave/internal/fault"
	"github.com/conclave-rooms/conclave/internal/seal"
)

// keeping is a padServer that stores answers.
func keeping(t *testing.T) (w *padServer, pass func(time.Duration), d *db.DB) {
	t.Helper()
	d = dbtest.Open(t, dbtest.Config(t, db.SQLite))
	w, pass = clocked(t, keepIn(t, d))
	return w, pass, d
}

func keepIn(t *testing.T, d *db.DB) func(*Config) {
	t.Helper()
	sealer, err := seal.New(bytes.Repeat([]byte{7}, 32))
	if err != nil {
		t.Fatal(err)
	}
	return func(c *Config) { c.DB, c.Sealer = d, sealer }
}

func create(t *testing.T, w *padServer, key, body string, headers ...string) *http.Response {
	t.Helper()
	return w.call(t, "POST", "/api/v1/pads", body, append([]string{"Idempotency-Key", key}, headers...)...)
}

func text(t *testing.T, res *http.Response) string {
	t.Helper()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestARepeatedRequestGetsTheFirstAnswer(t *testing.T) {
	t.Parallel()
	w, pass, d := keeping(t)
	first := create(t, w, "k", `{"name": "one"}`)
	again := create(t, w, "k", `{"name": "one"}`)
	if w.count() != 1 {
		t.Fatalf("the handler ran %d times", w.count())
	}
	if again.StatusCode != http.StatusCreated || text(t, first) != text(t, again) || again.Header.Get("Location") != first.Header.Get("Location") {
		t.Errorf("the answers differ: %v and %v", first, again)
	}
	if first.Header.Get("Idempotency-Replayed") != "" || again.Header.Get("Idempotency-Replayed") != "true" {
		t.Error("Idempotency-Replayed does not tell the stored answer from the first")
	}
	if first.Header.Get("Request-Id") == again.Header.Get("Request-Id") {
		t.Error("two requests have one Request-Id")
	}
	for what, res := range map[string]*http.Response{
		"another body":      create(t, w, "k", `{"name": "two"}`),
		"another path":      w.call(t, "PATCH", "/api/v1/pads/"+padID, "", "Idempotency-Key", "k"),
		"another operation": w.call(t, "POST", "/api/v1/tokens", "", "Idempotency-Key", "k"),
	} {
		if e := refusalOf(t, res); e.Code != api.CodeIdempotencyKeyReused {
			t.Errorf("%s: %s", what, e.Code)
		}
	}
	if res := create(t, w, "k", `{"name": "one"}`, "Authorization", "Bearer other"); res.Header.Get("Idempotency-Replayed") != "" || res.StatusCode != http.StatusCreated {
		t.Error("a key's answer was given to another key")
	}
	// A restart keeps the answers: this is another edge on the same data.
	later := newPadServer(t, func(c *Config) {
		keepIn(t, d)(c)
		c.Now = func() time.Time { return time.Date(2026, 11, 21, 9, 59, 59, 0, time.UTC) }
	})
	if res := create(t, later, "k", `{"name": "one"}`); res.Header.Get("Idempotency-Replayed") != "true" || later.count() != 0 {
		t.Error("after a restart the request is done again")
	}
	pass(24 * time.Hour)
	if res := create(t, w, "k", `{"name": "two"}`); res.StatusCode != http.StatusCreated || res.Header.Get("Idempotency-Replayed") != "" {
		t.Errorf("a day later: %d", res.StatusCode)
	}
}

func TestSecretsAreKeptForTenMinutes(t *testing.T) {
	t.Parallel()
	w, pass, _ := keeping(t)
	again := func() string {
		return w.call(t, "POST", "/api/v1/tokens", "", "Idempotency-Key", "k").Header.Get("Idempotency-Replayed")
	}
	again()
	pass(10*time.Minute - time.Second)
	if again() != "true" {
		t.Error("forgotten before ten minutes")
	}
	pass(time.Second)
	if again() != "" {
		t.Error("kept longer than ten minutes")
	}
}

// Of an operation that changes nothing, only that it was done is stored.
func TestAnOperationThatIsDoneAgain(t *testing.T) {
	t.Parallel()
	dbtest.EachConfig(t, func(t *testing.T, where db.Config) {
		d := dbtest.Open(t, where)
		w := newPadServer(t, keepIn(t, d))
		gone := false
		Handle(w.group, Op{ID: "copyPad", Method: "POST", Path: "/pads/{room_id}/copy", Again: true, Summary: "Copy", Tag: "Pads"},
			func(_ context.Context, in *padPath) (pad, error) {
				w.saw(*in)
				if gone {
					return pad{}, fault.Missing()
				}
				p := aPad()
				p.Name = strings.Repeat("x", 1<<20)
				return p, nil
			})
		copied := func(key string) *http.Response {
			t.Helper()
			return w.call(t, "POST", "/api/v1/pads/"+padID+"/copy", "", "Idempotency-Key", key)
		}
		first := text(t, copied("k"))
		again := copied("k")
		if got := text(t, again); got != first || again.StatusCode != http.StatusOK || again.Header.Get("Idempotency-Replayed") != "true" || w.count() != 2 {
			t.Errorf("again: %d %v with %d bytes, done %d times; want the %d bytes of the first answer", again.StatusCode, again.Header, len(got), w.count(), len(first))
		}
		for n := range 20 {
			copied(fmt.Sprint(n))
		}
		var kept int
		err := d.Read(t.Context(), func(tx *db.Tx) error {
			return tx.QueryRow(t.Context(), `SELECT SUM(LENGTH(answer)) FROM idempotency`).Scan(&kept)
		})
		if err != nil || kept > 21*200 {
			t.Errorf("21 answers of %d bytes are kept in %d bytes, %v", len(first), kept, err)
		}
		gone = true
		if e := refusalOf(t, copied("k")); e.Code != api.CodeNotFound {
			t.Errorf("when nothing is there any more: %s", e.Code)
		}
	})
}

func TestWhichRefusalsAreKept(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		err  error
		kept bool
	}{
		"conflict":          {fault.Conflicting(api.CodeRoomLocked, "Locked."), true},
		"not found":         {fault.Missing(), true},
		"not allowed":       {fault.New(fault.Forbidden, api.CodeRoomNotManaged, "Not yours."), true},
		"state":             {fault.New(fault.Invalid, api.CodeAlreadyHost, "A host."), true},
		"field":             {fault.BadParameter("name", "Bad name."), false},
		"down":              {fault.Down(api.CodeMediaUnavailable, "Down.", time.Second, nil), false},
		"accident":          {errors.New("disk on fire"), false},
		"rate in a feature": {fault.New(fault.RateLimited, api.CodeRateLimited, "Too many."), false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, _, _ := keeping(t)
			w.handler = func(context.Context) error { return test.err }
			first := refusalOf(t, create(t, w, "k", `{"name": "one"}`))
			res := create(t, w, "k", `{"name": "one"}`)
			again := refusalOf(t, res) // its request id is that of the new request
			if got := res.Header.Get("Idempotency-Replayed") == "true"; got != test.kept || (w.count() == 1) != test.kept {
				t.Errorf("replayed %v, the handler ran %d times; kept should be %v", got, w.count(), test.kept)
			}
			first.RequestID, again.RequestID = "", ""
			if fmt.Sprint(first) != fmt.Sprint(again) {
				t.Errorf("the refusals differ: %+v and %+v", first, again)
			}
		})
	}
}

func TestRefusalsBeforeTheHandlerUseNoKey(t *testing.T) {
	t.Parallel()
	w, _, _ := keeping(t)
	for _, body := range []string{`{"name": 1}`, `{`, `{"nam": "x"}`} {
		if res := create(t, w, "k", body); res.StatusCode != http.StatusBadRequest {
			t.Fatalf("%s: %d", body, res.StatusCode)
		}
	}
	if res := create(t, w, "k", `{"name": "one"}`); res.StatusCode != http.StatusCreated {
		t.Errorf("the corrected request: %d", res.StatusCode)
	}
}

// A whole object may be sent back twice. The first request changes the
// read-only values in it, which must not make the second one fail.
func TestAWholeObjectThatIsSentAgain(t *testing.T) {
	t.Parallel()
	w, _, _ := keeping(t)
	whole := strings.Replace(text(t, w.call(t, "GET", "/api/v1/pads/"+padID, "")), `"Notes"`, `"Mine"`, 1)
	patch := func(key, body string) *http.Response {
		return w.call(t, "PATCH", "/api/v1/pads/"+padID, body, "Idempotency-Key", key)
	}
	first, again := patch("k", whole), patch("k", whole)
	if first.StatusCode != http.StatusOK || again.Header.Get("Idempotency-Replayed") != "true" || text(t, first) != text(t, again) {
		t.Fatalf("the first %d, the second %d, replayed %q", first.StatusCode, again.StatusCode, again.Header.Get("Idempotency-Replayed"))
	}
	for range 2 { // and the key stays free
		if e := refusalOf(t, patch("new", whole)); e.Code != api.CodeParameterReadOnly {
			t.Errorf("another request with outdated values: %+v", e)
		}
	}
	if res := patch("new", `{"name": "Mine"}`); res.StatusCode != http.StatusOK {
		t.Errorf("the corrected request: %d", res.StatusCode)
	}
	if e := refusalOf(t, patch("k", strings.Replace(whole, `"Mine"`, `1`, 1))); e.Code != api.CodeParameterInvalid {
		t.Errorf("fields come before keys: %+v", e)
	}
}

func TestWhichIdempotencyKeysAreAccepted(t *testing.T) {
	t.Parallel()
	w, _, _ := keeping(t)
	for key, ok := range map[string]bool{
		"a": true, strings.Repeat("x", 255): true, "with blank": true, `quo"te`: true,
		strings.Repeat("x", 256): false, "t\tab": false, "é": false, "\x7f": false,
	} {
		res := create(t, w, key, `{"name": "one"}`)
		if ok && res.StatusCode != http.StatusCreated {
			t.Errorf("%q: %d", key, res.StatusCode)
		}
		if !ok {
			if e := refusalOf(t, res); e.Code != api.CodeParameterInvalid || e.Param != "Idempotency-Key" {
				t.Errorf("%q: %+v", key, e)
			}
		}
	}
	if res := w.call(t, "GET", "/api/v1/me", "", "Idempotency-Key", "\x7f"); res.StatusCode != http.StatusOK {
		t.Errorf("a GET takes no key and looks at none: %d", res.StatusCode)
	}
	none := newPadServer(t, nil)
	if res := create(t, none, "k", `{"name": "one"}`); res.StatusCode != http.StatusBadRequest {
		t.Errorf("an edge that keeps nothing says so: %d", res.StatusCode)
	}
}

func TestASecondRequestWithARunningKeyIsRefused(t *testing.T) {
	t.Parallel()
	w, _, _ := keeping(t)
	inside, leave := make(chan struct{}), make(chan struct{})
	w.handler = func(context.Context) error { close(inside); <-leave; return nil }
	var first *http.Response
	var wg sync.WaitGroup
	wg.Go(func() { first = create(t, w, "k", `{"name": "one"}`) })
	<-inside
	if e := refusalOf(t, create(t, w, "k", `{"name": "one"}`)); e.Code != api.CodeIdempotencyKeyInUse {
		t.Errorf("meanwhile: %s", e.Code)
	}
	close(leave)
	wg.Wait()
	if again := create(t, w, "k", `{"name": "one"}`); text(t, first) != text(t, again) || w.count() != 1 {
		t.Errorf("afterwards: %d, the handler ran %d times", again.StatusCode, w.count())
	}
}

func TestAPanicGivesTheKeyBack(t *testing.T) {
	t.Parallel()
	w, _, _ := keeping(t)
	for range 2 {
		if res := w.call(t, "POST", "/api/v1/explode", "", "Idempotency-Key", "k"); res.StatusCode != http.StatusInternalServerError {
			t.Fatalf("got %d, want the panic's 500 each time", res.StatusCode)
		}
	}
}

func TestACallerWhoGoesAwayStillHasAnAnswer(t *testing.T) {
	t.Parallel()
	w, _, _ := keeping(t)
	ctx, cancel := context.WithCancel(t.Context())
	// The caller goes away during the work; the rest of the handler can still
	// finish.
	w.handler = func(ctx context.Context) error { cancel(); return ctx.Err() }
	send(ctx, t, w)
	if again := send(t.Context(), t, w); again.Get("Idempotency-Replayed") != "true" || w.count() != 1 {
		t.Errorf("the work was done %d times", w.count())
	}
}

// send creates a pad with a key until ctx ends, and returns the headers of the
// answer.
func send(ctx context.Context, t *testing.T, w *padServer) http.Header {
	t.Helper()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, "/api/v1/pads", strings.NewReader(`{"name": "one"}`))
	if err != nil {
		t.Error(err)
		return nil
	}
	r.Header.Set("Authorization", "Bearer all")
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Idempotency-Key", "k")
	rec := &discard{header: http.Header{}}
	w.ServeHTTP(rec, r)
	return rec.header
}

type discard struct{ header http.Header }

func (d *discard) Header() http.Header         { return d.header }
func (d *discard) Write(b []byte) (int, error) { return len(b), nil }
func (d *discard) WriteHeader(int)             {}
