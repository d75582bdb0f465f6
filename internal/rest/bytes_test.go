package rest

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/fault"
)

// mostBytes is the limit of the uploads in these tests.
const mostBytes = 1 << 20

// received is what the handler got of an upload.
type received struct {
	Size   int64  `json:"size"`
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"`
}

// file is stored content that records when it is closed.
type file struct {
	*bytes.Reader

	closed bool
}

func (f *file) Close() error {
	f.closed = true
	return nil
}

// uploads starts a server with an upload that reads its body, one that refuses
// at once, and a file of ten bytes.
func uploads(t *testing.T, change func(*Config)) (*httptest.Server, *file) {
	t.Helper()
	w := newPadServer(t, change)
	type input struct {
		Where string `query:"where" doc:"Where."`
	}
	HandleUpload(w.group, Op{ID: "putBytes", Method: "PUT", Path: "/bytes", Public: true, Summary: "Put"}, mostBytes,
		func(_ context.Context, _ *input, body *Upload) (received, error) {
			n, err := io.Copy(io.Discard, body)
			return received{Size: body.Size, Bytes: n, SHA256: body.SHA256}, err
		})
	HandleUpload(w.group, Op{ID: "refuseBytes", Method: "PUT", Path: "/refused", Public: true, Summary: "Refuse", Errors: []string{api.CodeRoomLocked}}, mostBytes,
		func(context.Context, *input, *Upload) (received, error) {
			return received{}, fault.Conflicting(api.CodeRoomLocked, "Locked.")
		})
	f := &file{Reader: bytes.NewReader([]byte("0123456789"))}
	HandleFile(w.group, Op{ID: "getBytes", Method: "GET", Path: "/bytes", Public: true, Summary: "Get"}, func(context.Context, *input) (File, error) {
		return File{Content: f, SHA256: "feed"}, nil
	})
	server := httptest.NewServer(w.Edge)
	t.Cleanup(server.Close)
	return server, f
}

func digestOf(body string) string {
	sum := sha256.Sum256([]byte(body))
	return "sha-256=:" + base64.StdEncoding.EncodeToString(sum[:]) + ":"
}

func TestUploads(t *testing.T) {
	t.Parallel()
	server, _ := uploads(t, nil)
	full := strings.Repeat("x", mostBytes)
	small := sha256.Sum256([]byte("abc"))
	for name, test := range map[string]struct {
		path   string
		body   string
		chunks bool
		header http.Header
		status int
		want   string // a part of the answer
	}{
		"bytes":                         {"/bytes", "abc", false, nil, 200, `{"size":3,"bytes":3,"sha256":""}`},
		"none":                          {"/bytes", "", false, nil, 200, `{"size":0,"bytes":0,"sha256":""}`},
		"of no announced size":          {"/bytes", "abc", true, nil, 200, `{"size":-1,"bytes":3,"sha256":""}`},
		"as many as there may be":       {"/bytes", full, false, nil, 200, `"bytes":1048576`},
		"the same, in chunks":           {"/bytes", full, true, nil, 200, `"bytes":1048576`},
		"one more":                      {"/bytes", full + "x", false, nil, 413, api.CodePayloadTooLarge},
		"one more, in chunks":           {"/bytes", full + "x", true, nil, 413, api.CodePayloadTooLarge},
		"with a digest":                 {"/bytes", "abc", false, http.Header{"Content-Digest": {digestOf("abc")}}, 200, hex.EncodeToString(small[:])},
		"with several":                  {"/bytes", "abc", false, http.Header{"Content-Digest": {"md5=:AAAA:, " + digestOf("abc")}}, 200, hex.EncodeToString(small[:])},
		"with a wrong digest":           {"/bytes", "abc", false, http.Header{"Content-Digest": {digestOf("abd")}}, 400, api.CodeParameterInvalid},
		"with a short digest":           {"/bytes", "abc", false, http.Header{"Content-Digest": {"sha-256=:AAAA:"}}, 400, api.CodeParameterInvalid},
		"with a digest without colons":  {"/bytes", "abc", false, http.Header{"Content-Digest": {strings.ReplaceAll(digestOf("abc"), ":", "")}}, 400, api.CodeParameterInvalid},
		"with a digest of another kind": {"/bytes", "abc", false, http.Header{"Content-Digest": {"sha-512=:AAAA:"}}, 200, `"sha256":""`},
		"of another media type":         {"/bytes", "abc", false, http.Header{"Content-Type": {"application/json"}}, 415, api.CodeUnsupportedMediaType},
		"of no media type":              {"/bytes", "abc", false, http.Header{"Content-Type": nil}, 415, api.CodeUnsupportedMediaType},
		"compressed":                    {"/bytes", "abc", false, http.Header{"Content-Encoding": {"gzip"}}, 415, api.CodeUnsupportedMediaType},
		"with an unknown parameter":     {"/bytes?colour=red", "abc", false, nil, 400, api.CodeParameterUnknown},
		"refused before it is read":     {"/refused", full, false, nil, 409, api.CodeRoomLocked},
		"refused, and too large":        {"/refused", full + "x", true, nil, 409, api.CodeRoomLocked},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var body io.Reader = strings.NewReader(test.body)
			if test.chunks {
				body = io.MultiReader(body)
			}
			r, err := http.NewRequestWithContext(t.Context(), http.MethodPut, server.URL+"/api/v1"+test.path, body)
			if err != nil {
				t.Fatal(err)
			}
			r.Header.Set("Content-Type", "application/octet-stream")
			for name, values := range test.header {
				r.Header[name] = values
			}
			res, err := server.Client().Do(r)
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = res.Body.Close() }()
			got, err := io.ReadAll(res.Body)
			if err != nil || res.StatusCode != test.status || !strings.Contains(string(got), test.want) {
				t.Errorf("%d %s (%v), want %d %s", res.StatusCode, got, err, test.status, test.want)
			}
		})
	}
}

// The server gives up on an upload that stops half way, whether or not it reads
// it.
func TestUploadsThatDoNotArrive(t *testing.T) {
	t.Parallel()
	server, _ := uploads(t, func(c *Config) { c.BodyTimeout = 20 * time.Millisecond })
	for path, status := range map[string]int{"/bytes": 503, "/refused": 409} {
		res := raw(t, server, "PUT /api/v1"+path+" HTTP/1.1\r\nHost: x\r\nContent-Type: application/octet-stream\r\nContent-Length: 99\r\n\r\npart of it")
		if res.StatusCode != status || !res.Close {
			t.Errorf("%s answers %d, connection closed: %v; want %d and a closed connection", path, res.StatusCode, res.Close, status)
		}
		refusalOf(t, res)
	}
}

// counted is a body that counts how much of it was read.
type counted struct {
	io.Reader

	read int
}

func (c *counted) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	c.read += n
	return n, err
}

// The small rest of a refused upload is read, for a few seconds at most.
// Without credentials nothing is read.
func TestRefusedUploadsAreNotReadToTheirEnd(t *testing.T) {
	t.Parallel()
	locked := fault.Conflicting(api.CodeRoomLocked, "Locked.")
	for name, test := range map[string]struct {
		refusal error
		size    int
		read    int
		closed  bool
	}{
		"a small body":               {locked, 1000, 1000, false},
		"a large body":               {locked, mostBytes, refusedBytes, true},
		"a body without credentials": {fault.New(fault.Unauthenticated, api.CodeUploadInvalid, "Not yours."), 1000, 0, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newPadServer(t, func(c *Config) { c.BodyTimeout = time.Hour })
			HandleUpload(w.group, Op{ID: "putBytes", Method: "PUT", Path: "/bytes", Public: true, Summary: "Put", Errors: []string{api.CodeRoomLocked, api.CodeUploadInvalid}},
				mostBytes, func(context.Context, *struct{}, *Upload) (received, error) { return received{}, test.refusal })
			body := &counted{Reader: strings.NewReader(strings.Repeat("x", test.size))}
			r := httptest.NewRequestWithContext(t.Context(), http.MethodPut, "/api/v1/bytes", body)
			r.ContentLength = int64(test.size)
			r.Header.Set("Content-Type", "application/octet-stream")
			answer := httptest.NewRecorder()
			connection := &deadlines{ResponseWriter: answer}
			w.ServeHTTP(connection, r)
			if body.read != test.read || (answer.Header().Get("Connection") == "close") != test.closed {
				t.Errorf("%d bytes were read, Connection: %q; want %d, closed: %v", body.read, answer.Header().Get("Connection"), test.read, test.closed)
			}
			latest := time.Now().Add(refusedWithin)
			for _, until := range connection.set[1:] { // the first one is for bodies that the handler does not read
				if until.After(latest) {
					t.Errorf("the body may take until %s, want %s at the latest", until, latest)
				}
			}
			if len(connection.set) < 2 {
				t.Errorf("%d deadlines were set", len(connection.set))
			}
		})
	}
}

// Every byte extends the deadline of an upload, up to the limit for the whole
// upload. The handler has no deadline afterwards.
func TestUploadsMayTakeTheirTime(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ timeout, atMost time.Duration }{
		"for each byte":  {time.Minute, time.Minute},
		"and as a whole": {time.Hour, uploadWithin},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newPadServer(t, func(c *Config) { c.BodyTimeout = test.timeout })
			connection := &deadlines{ResponseWriter: httptest.NewRecorder()}
			began := time.Now()
			HandleUpload(w.group, Op{ID: "putBytes", Method: "PUT", Path: "/bytes", Public: true, Summary: "Put"}, mostBytes,
				func(_ context.Context, _ *struct{}, body *Upload) (received, error) {
					for range 3 {
						before := len(connection.set)
						if n, err := body.Read(make([]byte, 1)); n != 1 || err != nil {
							t.Errorf("read %d bytes: %v", n, err)
						}
						if len(connection.set) != before+1 {
							t.Fatalf("a byte sets %d deadlines", len(connection.set)-before)
						}
						until := connection.set[before]
						if until.Before(began.Add(test.atMost)) || until.After(time.Now().Add(test.atMost)) {
							t.Errorf("a byte may take %s, want %s", until.Sub(began), test.atMost)
						}
					}
					_, err := io.Copy(io.Discard, body)
					if !connection.set[len(connection.set)-1].IsZero() {
						t.Error("after its last byte there is a deadline")
					}
					return received{}, err
				})
			r := httptest.NewRequestWithContext(t.Context(), http.MethodPut, "/api/v1/bytes", strings.NewReader("abc"))
			r.Header.Set("Content-Type", "application/octet-stream")
			w.ServeHTTP(connection, r)
		})
	}
}

func TestFiles(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		method string
		path   string
		header http.Header
		status int
		want   string // the body, or the code of a refusal
	}{
		"all of it":                     {"GET", "/bytes", nil, 200, "0123456789"},
		"only its head":                 {"HEAD", "/bytes", nil, 200, ""},
		"a range":                       {"GET", "/bytes", http.Header{"Range": {"bytes=2-4"}}, 206, "234"},
		"its end":                       {"GET", "/bytes", http.Header{"Range": {"bytes=-3"}}, 206, "789"},
		"a range after its end":         {"GET", "/bytes", http.Header{"Range": {"bytes=10-"}}, 416, api.CodeRangeNotSatisfiable},
		"a range to its end":            {"GET", "/bytes", http.Header{"Range": {"bytes=7-"}}, 206, "789"},
		"more than there is":            {"GET", "/bytes", http.Header{"Range": {"bytes=8-99"}}, 206, "89"},
		"a unit in capitals":            {"GET", "/bytes", http.Header{"Range": {"Bytes=0-3"}}, 206, "0123"},
		"an unknown unit":               {"GET", "/bytes", http.Header{"Range": {"items=0-3"}}, 200, "0123456789"},
		"no unit":                       {"GET", "/bytes", http.Header{"Range": {"0-3"}}, 200, "0123456789"},
		"an invalid range":              {"GET", "/bytes", http.Header{"Range": {"bytes=x"}}, 200, "0123456789"},
		"a range of nothing":            {"GET", "/bytes", http.Header{"Range": {"bytes=-0"}}, 200, "0123456789"},
		"a range without ends":          {"GET", "/bytes", http.Header{"Range": {"bytes=-"}}, 200, "0123456789"},
		"a range backwards":             {"GET", "/bytes", http.Header{"Range": {"bytes=5-2"}}, 200, "0123456789"},
		"a range of any size":           {"GET", "/bytes", http.Header{"Range": {"bytes=0-99999999999999999999"}}, 200, "0123456789"},
		"several ranges":                {"GET", "/bytes", http.Header{"Range": {"bytes=0-1,4-5"}}, 200, "0123456789"},
		"a range of an older version":   {"GET", "/bytes", http.Header{"Range": {"bytes=2-4"}, "If-Range": {`"beef"`}}, 200, "0123456789"},
		"a version that the client has": {"GET", "/bytes", http.Header{"If-None-Match": {`"feed"`}}, 304, ""},
		"an unknown parameter":          {"GET", "/bytes?colour=red", nil, 400, api.CodeParameterUnknown},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server, f := uploads(t, nil)
			r, err := http.NewRequestWithContext(t.Context(), test.method, server.URL+"/api/v1"+test.path, http.NoBody)
			if err != nil {
				t.Fatal(err)
			}
			r.Header = test.header.Clone()
			res, err := server.Client().Do(r)
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = res.Body.Close() }()
			if res.StatusCode != test.status || res.Header.Get("Cache-Control") != "no-store" {
				t.Errorf("%d, Cache-Control %q; want %d", res.StatusCode, res.Header.Get("Cache-Control"), test.status)
			}
			if has := res.Header.Get("Content-Range"); test.status == 416 && has != "bytes */10" {
				t.Errorf("Content-Range is %q", has)
			}
			if res.StatusCode >= 400 {
				if e := refusalOf(t, res); e.Code != test.want {
					t.Errorf("the code is %s, want %s", e.Code, test.want)
				}
				return
			}
			got, err := io.ReadAll(res.Body)
			if err != nil || string(got) != test.want || res.Header.Get("ETag") != `"feed"` {
				t.Errorf("%q (%v), ETag %s; want %q", got, err, res.Header.Get("ETag"), test.want)
			}
			server.Close() // waits until the handler returns
			if !f.closed {
				t.Error("the content was not closed")
			}
		})
	}
}
