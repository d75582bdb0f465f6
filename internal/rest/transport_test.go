package rest

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/fault"
)

func TestUnknownPathsOfTheAPIAreRefused(t *testing.T) {
	t.Parallel()
	// Through Wrap and a ServeMux, like the server: the mux alone would
	// redirect half of these.
	mux := http.NewServeMux()
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTeapot) })
	for _, path := range []string{
		"/api/v1", "/api/v1/", "/api/v1//", "/api/v1//pads", "/api/v1/pads/", "/api/v1/pads//", "/api/v1/./pads", "/api/v1/x/../pads",
		"/api/v1/pads/" + padID + "/", "/api/v1/pads/" + padID + "/nothing", "/api/v1/PADS", "/api/v1/pads%2f" + padID, "/api/v1/%zz",
	} {
		t.Run(path, func(t *testing.T) {
			t.Parallel()
			w := newPadServer(t, nil)
			server := httptest.NewServer(w.Wrap(mux))
			defer server.Close()
			res := raw(t, server, "GET "+path+" HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer all\r\n\r\n")
			if path == "/api/v1/%zz" { // net/http itself refuses an invalid URL
				if res.StatusCode != http.StatusBadRequest {
					t.Errorf("got %d", res.StatusCode)
				}
				return
			}
			if e := refusalOf(t, res); res.StatusCode != http.StatusNotFound || e.Code != api.CodeRouteNotFound {
				t.Errorf("got %d %s", res.StatusCode, e.Code)
			}
		})
	}
	w := newPadServer(t, nil)
	for _, path := range []string{"/", "/api/v10/pads", "/api/v1x", "/API/v1/pads"} {
		rec := httptest.NewRecorder()
		w.Wrap(mux).ServeHTTP(rec, httptest.NewRequestWithContext(t.Context(), "GET", path, http.NoBody))
		if rec.Code != http.StatusTeapot {
			t.Errorf("%s got %d, want the next handler", path, rec.Code)
		}
	}
}

// raw sends bytes unchanged, because clients clean up paths.
func raw(t *testing.T, server *httptest.Server, request string) *http.Response {
	t.Helper()
	conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	if _, err := io.WriteString(conn, request); err != nil {
		t.Fatal(err)
	}
	res, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

func TestValuesInThePath(t *testing.T) {
	t.Parallel()
	w := newPadServer(t, nil)
	for escaped, want := range map[string]string{"a%2Fb": "a/b", "..": "..", "a%20b": "a b", "%C3%A9": "é", "x.y": "x.y"} {
		before := w.count()
		if res := w.call(t, "GET", "/api/v1/pads/"+escaped, ""); res.StatusCode != http.StatusNotFound || refusalOf(t, res).Code != api.CodeNotFound {
			t.Errorf("%s is answered by the router", escaped)
		}
		if got := w.seen[before]; got != (padPath{want}) {
			t.Errorf("%s arrives as %v, want %s", escaped, got, want)
		}
	}
}

func TestMethods(t *testing.T) {
	t.Parallel()
	w := newPadServer(t, nil)
	for _, test := range []struct{ method, path, allow string }{
		{"PUT", "/api/v1/pads", "GET, HEAD, POST"},
		{"OPTIONS", "/api/v1/pads", "GET, HEAD, POST"},
		{"DELETE", "/api/v1/tokens", "POST"},
		{"HEAD", "/api/v1/tokens", "POST"},
		{"POST", "/api/v1/pads/" + padID, "GET, HEAD, PATCH"},
		{"POST", "/api/v1/openapi.json", "GET, HEAD"},
	} {
		res := w.call(t, test.method, test.path, "", "Origin", "https://evil.example", "Access-Control-Request-Method", "POST")
		if res.StatusCode != http.StatusMethodNotAllowed || res.Header.Get("Allow") != test.allow {
			t.Errorf("%s %s: %d, Allow %q, want %q", test.method, test.path, res.StatusCode, res.Header.Get("Allow"), test.allow)
		}
		for name := range res.Header {
			if strings.HasPrefix(name, "Access-Control-") {
				t.Errorf("%s %s: %s is set; keys are for servers", test.method, test.path, name)
			}
		}
	}
	get, head := w.call(t, "GET", "/api/v1/me", ""), w.call(t, "HEAD", "/api/v1/me", "")
	if head.StatusCode != http.StatusOK || head.ContentLength != get.ContentLength {
		t.Errorf("HEAD: %d with length %d, GET has %d", head.StatusCode, head.ContentLength, get.ContentLength)
	}
}

func TestHeadersOfEveryAnswer(t *testing.T) {
	t.Parallel()
	for _, tls := range []bool{false, true} {
		w := newPadServer(t, func(c *Config) { c.HSTS = tls })
		ids := map[string]bool{}
		for _, target := range []string{"GET /api/v1/me", "GET /api/v1/nothing", "PUT /api/v1/me", "GET /api/v1/openapi.json", "POST /api/v1/explode", "GET /api/v1/stream", "POST /api/v1/fail"} {
			method, path, _ := strings.Cut(target, " ")
			h := w.call(t, method, path, "", "Request-Id", "req_mine").Header
			id := h.Get("Request-Id")
			if !strings.HasPrefix(id, "req_") || id == "req_mine" || ids[id] {
				t.Errorf("%s: Request-Id %q", target, id)
			}
			ids[id] = true
			keep := "no-store"
			if strings.HasSuffix(path, "/openapi.json") {
				keep = "no-cache" // it has an ETag
			}
			if h.Get("Cache-Control") != keep || h.Get("X-Content-Type-Options") != "nosniff" {
				t.Errorf("%s: %v", target, h)
			}
			if got := h.Get("Strict-Transport-Security") != ""; got != tls {
				t.Errorf("%s: HSTS is %v where TLS ends here is %v", target, got, tls)
			}
		}
	}
}

func TestCredentials(t *testing.T) {
	t.Parallel()
	w := newPadServer(t, nil)
	var invalid string
	for header, code := range map[string]string{
		"":                       api.CodeAPIKeyMissing,
		"Bearer":                 api.CodeAPIKeyMissing,
		"Bearer  ":               api.CodeAPIKeyMissing,
		"Basic YTpi":             api.CodeAPIKeyMissing,
		"all":                    api.CodeAPIKeyMissing,
		"Bearer nobody":          api.CodeAPIKeyInvalid,
		"Bearer all all":         api.CodeAPIKeyInvalid,
		"Bearer all, Bearer all": api.CodeAPIKeyInvalid,
	} {
		res := w.call(t, "GET", "/api/v1/me", "", "Authorization", header)
		e := refusalOf(t, res)
		if res.StatusCode != http.StatusUnauthorized || e.Code != code || res.Header.Get("WWW-Authenticate") != "Bearer" {
			t.Errorf("%q: %d %s, WWW-Authenticate %q", header, res.StatusCode, e.Code, res.Header.Get("WWW-Authenticate"))
		}
		if code == api.CodeAPIKeyInvalid {
			e.RequestID = ""
			if text := fmt.Sprint(e); invalid != "" && invalid != text {
				t.Errorf("unknown and malformed keys get different answers: %s and %s", invalid, text)
			} else {
				invalid = text
			}
		}
	}
	for _, header := range []string{"Bearer all", "bearer all", "BEARER   all "} {
		if res := w.call(t, "GET", "/api/v1/me", "", "Authorization", header); res.StatusCode != http.StatusOK {
			t.Errorf("%q: %d", header, res.StatusCode)
		}
	}
	if res := w.call(t, "GET", "/api/v1/me", "", "Authorization", "Bearer broken"); res.StatusCode != http.StatusInternalServerError {
		t.Errorf("an authenticator that fails: %d, want 500", res.StatusCode)
	}
	res := w.call(t, "POST", "/api/v1/pads", `{"name": "x"}`, "Authorization", "Bearer readonly")
	if e := refusalOf(t, res); e.Code != api.CodeInsufficientScope || e.RequiredScope != "rooms:write" {
		t.Errorf("without the scope: %+v", e)
	}
}

func TestPublicOperations(t *testing.T) {
	t.Parallel()
	w := newPadServer(t, nil)
	Handle(w.group, Op{ID: "look", Method: "POST", Path: "/look", Public: true, Limit: ClassTokens},
		func(ctx context.Context, _ *struct{}) (pad, error) { w.saw(Bearer(ctx)); return aPad(), nil })
	for _, header := range []string{"", "Bearer nobody", "Bearer all"} {
		if res := w.call(t, "POST", "/api/v1/look", "", "Authorization", header); res.StatusCode != http.StatusOK {
			t.Errorf("%q: %d", header, res.StatusCode)
		}
	}
	if got := fmt.Sprint(w.seen); got != "[ nobody all]" {
		t.Errorf("the handler was given the bearers %s", got)
	}
}

func TestBodies(t *testing.T) {
	t.Parallel()
	w := newPadServer(t, nil)
	fill := func(size int) string {
		const frame = `{"name":"x"}`
		return `{"name":"x"` + strings.Repeat(" ", size-len(frame)) + `}`
	}
	for _, test := range []struct {
		name, body, media, encoding string
		status                      int
	}{
		{"the largest", fill(65536), "application/json", "", 201}, // 64 KiB
		{"one byte more", fill(65537), "application/json", "", 413},
		{"charset", `{"name":"x"}`, "application/json; charset=utf-8", "", 201},
		{"capitals", `{"name":"x"}`, "Application/JSON; charset=UTF-8", "", 201},
		{"another charset", `{"name":"x"}`, "application/json; charset=latin1", "", 415},
		{"no media type", `{"name":"x"}`, "", "", 415},
		{"form", `{"name":"x"}`, "application/x-www-form-urlencoded", "", 415},
		{"text", `{"name":"x"}`, "text/json", "", 415},
		{"merge patch", `{"name":"x"}`, "application/merge-patch+json", "", 415},
		{"broken media type", `{"name":"x"}`, "application/json; =", "", 415},
		{"compressed", `{"name":"x"}`, "application/json", "gzip", 415},
		{"identity", `{"name":"x"}`, "application/json", "identity", 201},
		{"space only", ` `, "application/json", "", 400},
	} {
		for _, chunked := range []bool{false, true} {
			r := httptest.NewRequestWithContext(t.Context(), "POST", "/api/v1/pads", strings.NewReader(test.body))
			r.Header.Set("Authorization", "Bearer all")
			r.Header.Set("Content-Type", test.media)
			r.Header.Set("Content-Encoding", test.encoding)
			if chunked {
				r.ContentLength = -1
			}
			rec := httptest.NewRecorder()
			w.ServeHTTP(rec, r)
			if rec.Code != test.status {
				t.Errorf("%s (chunked %v): %d, want %d: %s", test.name, chunked, rec.Code, test.status, rec.Body)
			}
		}
	}
	r := httptest.NewRequestWithContext(t.Context(), "POST", "/api/v1/tokens", io.MultiReader())
	r.Header.Set("Authorization", "Bearer all")
	r.ContentLength = -1
	rec := httptest.NewRecorder()
	w.ServeHTTP(rec, r)
	if rec.Code != http.StatusOK {
		t.Errorf("an empty chunked body is not a body: %d %s", rec.Code, rec.Body)
	}
	r = httptest.NewRequestWithContext(t.Context(), "POST", "/api/v1/pads", io.MultiReader(strings.NewReader(`{"name"`), failing{}))
	r.Header.Set("Authorization", "Bearer all")
	r.Header.Set("Content-Type", "application/json")
	r.ContentLength = 100
	rec = httptest.NewRecorder()
	w.ServeHTTP(rec, r)
	if rec.Code != http.StatusBadRequest {
		t.Errorf("a body that is cut off: %d", rec.Code)
	}
}

type failing struct{}

func (failing) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }

func TestInternalErrorsAreNotShown(t *testing.T) {
	t.Parallel()
	for _, path := range []string{"/api/v1/explode", "/api/v1/fail"} {
		w := newPadServer(t, nil)
		res := w.call(t, "POST", path+"?", "")
		e := refusalOf(t, res)
		if res.StatusCode != http.StatusInternalServerError || e.Code != api.CodeInternalError || strings.Contains(fmt.Sprint(e), "secret") {
			t.Errorf("%s: %d %+v", path, res.StatusCode, e)
		}
		log := w.log.String()
		if strings.Count(log, "level=ERROR") != 1 || !strings.Contains(log, "secret") || !strings.Contains(log, e.RequestID) {
			t.Errorf("%s: the log does not have the cause once, with the request id:\n%s", path, log)
		}
	}
}

func TestARequestIsOneLineInTheLogWithoutSecrets(t *testing.T) {
	t.Parallel()
	var seen []Observation
	w := newPadServer(t, func(c *Config) { c.Observe = func(_ context.Context, o Observation) { seen = append(seen, o) } })
	res := w.call(t, "PATCH", "/api/v1/pads/"+padID+"?token=querysecret", `{"name": "bodysecret"}`, "Authorization", "Bearer all")
	log := w.log.String()
	for _, want := range []string{
		"msg=request", "method=PATCH", "route=/api/v1/pads/{room_id}", "status=400", "duration_ms=0", "subject=all", "request_id=" + res.Header.Get("Request-Id"),
	} {
		if !strings.Contains(log, want) {
			t.Errorf("the log lacks %s:\n%s", want, log)
		}
	}
	if strings.Contains(log, "secret") || strings.Contains(log, "Bearer") || strings.Count(log, "\n") != 1 {
		t.Errorf("the log is not one line, or says too much:\n%s", log)
	}
	w.call(t, "BREW", "/api/v1/"+strings.Repeat("x", 100), "")
	want := []Observation{{Route: "/api/v1/pads/{room_id}", Method: "PATCH", Status: 400}, {Route: "other", Method: "other", Status: 404}}
	if fmt.Sprint(seen) != fmt.Sprint(want) {
		t.Errorf("observed %v, want %v", seen, want)
	}
}

func TestAStreamThatFailsHalfWayIsCutOff(t *testing.T) {
	t.Parallel()
	w := newPadServer(t, nil)
	server := httptest.NewServer(w)
	defer server.Close()
	get := func(query string) (*http.Response, string, error) {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL+"/api/v1/stream"+query, http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer all")
		res, err := server.Client().Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = res.Body.Close() }()
		if query == "?refuse=1" {
			refusalOf(t, res)
		}
		body, err := io.ReadAll(res.Body)
		return res, string(body), err
	}
	if res, body, err := get(""); res.StatusCode != http.StatusOK || body != ": hello\n\n" || err != nil {
		t.Errorf("a stream: %d %q %v", res.StatusCode, body, err)
	}
	if res, _, _ := get("?refuse=1"); res.StatusCode != http.StatusNotFound {
		t.Errorf("a refusal before the first byte: %d", res.StatusCode)
	}
	if _, _, err := get("?cut=1"); err == nil {
		t.Error("a stream that failed half way ends as if it were whole")
	}
}

func TestACallerWhoLeftIsNoErrorInTheLog(t *testing.T) {
	t.Parallel()
	w := newPadServer(t, nil)
	w.handler = func(ctx context.Context) error { return fmt.Errorf("ask the database: %w", context.Cause(ctx)) }
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	r := httptest.NewRequestWithContext(ctx, "POST", "/api/v1/pads", strings.NewReader(`{"name": "x"}`))
	r.Header.Set("Authorization", "Bearer all")
	r.Header.Set("Content-Type", "application/json")
	rec := httptest.NewRecorder()
	w.ServeHTTP(rec, r)
	if rec.Code != http.StatusServiceUnavailable || strings.Contains(w.log.String(), "level=ERROR") {
		t.Errorf("%d, and the log says\n%s", rec.Code, w.log)
	}
}

func TestTheCauseOfAnOutageIsOnlyInTheLog(t *testing.T) {
	t.Parallel()
	w := newPadServer(t, nil)
	w.handler = func(context.Context) error {
		return fmt.Errorf("make a token: %w", fault.Down(api.CodeMediaUnavailable, "The media server does not answer.", 2500*time.Millisecond, errors.New("secret address")))
	}
	res := w.call(t, "POST", "/api/v1/pads", `{"name": "x"}`)
	e := refusalOf(t, res)
	if res.StatusCode != http.StatusServiceUnavailable || e.RetryAfter != 3 || res.Header.Get("Retry-After") != "3" {
		t.Errorf("%d %+v, Retry-After %q", res.StatusCode, e, res.Header.Get("Retry-After"))
	}
	if strings.Contains(fmt.Sprint(e), "secret") || !strings.Contains(w.log.String(), "secret address") {
		t.Errorf("the cause must only be in the log:\n%s", w.log)
	}
}

func TestACreatedObjectHasALocation(t *testing.T) {
	t.Parallel()
	w := newPadServer(t, nil)
	res := w.call(t, "POST", "/api/v1/pads", `{"name": "<&>"}`)
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	if res.StatusCode != http.StatusCreated || res.Header.Get("Location") != "/api/v1/pads/"+padID || !strings.Contains(string(body), `"<&>"`) {
		t.Errorf("%d, Location %q: %s", res.StatusCode, res.Header.Get("Location"), body)
	}
	if got := w.call(t, "GET", "/api/v1/pads/"+padID, "").Header.Get("Location"); got != "" {
		t.Errorf("a GET has Location %q", got)
	}
}
