package resttest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/conclave-rooms/conclave/internal/rest"
)

// Handler answers like edge.Wrap(next), and fails the test for every answer of
// a group that its document does not describe. It does not check streams.
func Handler(t testing.TB, edge *rest.Edge, next http.Handler) http.Handler {
	t.Helper()
	var documents []*Document
	for _, group := range edge.Groups() {
		raw, err := group.Document()
		if err != nil {
			t.Fatalf("describe %s: %v", group.Prefix(), err)
		}
		d, err := ParseDocument(group.Prefix(), raw)
		if err != nil {
			t.Fatal(err)
		}
		documents = append(documents, d)
	}
	handler := edge.Wrap(next)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for _, d := range documents {
			if d.covers(r) {
				d.record(t, handler, w, r)
				return
			}
		}
		handler.ServeHTTP(w, r)
	})
}

// record answers a request through a buffer, so that the answer can be read
// twice.
func (d *Document) record(t testing.TB, handler http.Handler, w http.ResponseWriter, r *http.Request) {
	if d.streams(r) {
		handler.ServeHTTP(w, r)
		return
	}
	rec := httptest.NewRecorder()
	handler.ServeHTTP(rec, r)
	for _, wrong := range d.Answer(r.Method, r.URL, rec.Code, rec.Header(), rec.Body.Bytes()) {
		t.Errorf("%s %s answered %d: %s", r.Method, r.URL.Path, rec.Code, wrong)
	}
	for name, values := range rec.Header() {
		w.Header()[name] = values
	}
	w.WriteHeader(rec.Code)
	_, _ = w.Write(rec.Body.Bytes())
}

// Transport sends requests through base, and fails the test for every answer
// that the documents do not describe.
func Transport(t testing.TB, base http.RoundTripper, documents ...*Document) http.RoundTripper {
	return transport{t: t, base: base, documents: documents}
}

type transport struct {
	t         testing.TB
	base      http.RoundTripper
	documents []*Document
}

// RoundTrip sends one request.
func (tr transport) RoundTrip(r *http.Request) (*http.Response, error) {
	res, err := tr.base.RoundTrip(r)
	if err != nil {
		return nil, fmt.Errorf("send %s %s: %w", r.Method, r.URL.Path, err)
	}
	for _, d := range tr.documents {
		if !d.covers(r) || d.streams(r) {
			continue
		}
		body, err := io.ReadAll(res.Body)
		_ = res.Body.Close()
		if err != nil {
			return nil, fmt.Errorf("read the answer of %s %s: %w", r.Method, r.URL.Path, err)
		}
		res.Body = io.NopCloser(bytes.NewReader(body))
		for _, wrong := range d.Answer(r.Method, r.URL, res.StatusCode, res.Header, body) {
			tr.t.Errorf("%s %s answered %d: %s", r.Method, r.URL.Path, res.StatusCode, wrong)
		}
	}
	return res, nil
}

func (d *Document) covers(r *http.Request) bool {
	below, ok := strings.CutPrefix(r.URL.EscapedPath(), d.prefix)
	return ok && (below == "" || below[0] == '/')
}

// streams says whether the operation's answer is an endless stream.
func (d *Document) streams(r *http.Request) bool {
	op := d.operation(r.Method, r.URL)
	raw, err := json.Marshal(op["responses"])
	return err == nil && bytes.Contains(raw, []byte(`"text/event-stream"`))
}

// operation finds the operation of a request in the document, or nil.
func (d *Document) operation(method string, u *url.URL) map[string]any {
	below := strings.Split(strings.TrimPrefix(u.EscapedPath(), d.prefix), "/")
	paths, _ := d.root["paths"].(map[string]any)
	var found map[string]any
	best := -1
	for pattern, item := range paths {
		literals, ok := matches(strings.Split(pattern, "/"), below)
		operations, _ := item.(map[string]any)
		if ok && literals > best {
			best = literals
			if method == http.MethodHead {
				method = http.MethodGet
			}
			found, _ = operations[strings.ToLower(method)].(map[string]any)
		}
	}
	return found
}

// matches compares a path with a pattern and counts the literal steps: the
// router takes the pattern with the most.
func matches(pattern, path []string) (literals int, ok bool) {
	if len(pattern) != len(path) {
		return 0, false
	}
	for i := range pattern {
		switch {
		case strings.HasPrefix(pattern[i], "{"):
			if path[i] == "" {
				return 0, false
			}
		case pattern[i] != path[i]:
			return 0, false
		default:
			literals++
		}
	}
	return literals, true
}

// Answer returns how an answer differs from the document.
func (d *Document) Answer(method string, u *url.URL, status int, header http.Header, body []byte) []string {
	var wrong []string
	for _, name := range []string{"Request-Id", "Cache-Control", "X-Content-Type-Options"} {
		if header.Get(name) == "" {
			wrong = append(wrong, "the header "+name+" is missing")
		}
	}
	op := d.operation(method, u)
	if op == nil { // for an unknown path or method, only the envelope is promised
		if status < http.StatusBadRequest {
			return wrong // the document itself
		}
		return append(wrong, d.body(map[string]any{"$ref": "#/components/schemas/ErrorResponse"}, method, body)...)
	}
	responses, _ := op["responses"].(map[string]any)
	response, ok := responses[strconv.Itoa(status)].(map[string]any)
	if !ok {
		return append(wrong, fmt.Sprintf("the document has no such answer: %s", body))
	}
	if _, located := response["headers"].(map[string]any)["Location"]; located != (header.Get("Location") != "") {
		wrong = append(wrong, "the header Location does not agree with the document")
	}
	content, described := response["content"].(map[string]any)
	if !described && len(body) == 0 {
		return wrong
	}
	media, _, err := mime.ParseMediaType(header.Get("Content-Type"))
	answer, ok := content[media].(map[string]any)
	if err != nil || !ok {
		return append(wrong, fmt.Sprintf("the media type %q is not in the document", media))
	}
	if media != "application/json" {
		return wrong
	}
	schema, _ := answer["schema"].(map[string]any)
	wrong = append(wrong, d.body(schema, method, body)...)
	if codes, ok := response["x-error-codes"].([]any); ok && method != http.MethodHead {
		wrong = append(wrong, checkCode(codes, body)...)
	}
	return wrong
}

// Payload returns how an event differs from the document.
func (d *Document) Payload(kind string, data []byte) []string {
	at := d.root["webhooks"]
	for _, step := range []string{kind, "post", "requestBody", "content", "application/json", "schema", "properties", "data"} {
		level, _ := at.(map[string]any)
		at = level[step]
	}
	schema, ok := at.(map[string]any)
	if !ok {
		return []string{"the document has no webhook " + kind}
	}
	return d.body(schema, http.MethodPost, data)
}

func (d *Document) body(schema map[string]any, method string, body []byte) []string {
	if method == http.MethodHead {
		return nil
	}
	var value any
	if err := json.Unmarshal(body, &value); err != nil {
		return []string{fmt.Sprintf("the body is not JSON: %v: %s", err, body)}
	}
	return d.check("body", schema, value)
}

func checkCode(codes []any, body []byte) []string {
	var refusal struct {
		Error struct {
			Code string `json:"code"`
		} `json:"error"`
	}
	if err := json.Unmarshal(body, &refusal); err != nil || !slices.Contains(codes, any(refusal.Error.Code)) {
		return []string{fmt.Sprintf("the code %q is not among those the document lists, %v", refusal.Error.Code, codes)}
	}
	return nil
}
