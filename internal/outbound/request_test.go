package outbound

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestDo(t *testing.T) {
	t.Parallel()
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		w.Header().Set("Etag", `"1"`)
		w.Header().Set("Retry-After", "7")
		w.WriteHeader(http.StatusMultiStatus)
		_, _ = io.WriteString(w, r.Method+" "+r.Header.Get("Depth")+" "+r.Header.Get("User-Agent")+" "+string(body))
	}))
	t.Cleanup(web.Close)
	c := New(Config{AllowPrivate: true, UserAgent: "Test/1"})
	request := Request{Method: "PROPFIND", Address: web.URL, Header: map[string]string{"Depth": "1"}, Body: []byte("<x/>")}
	response, err := c.Do(t.Context(), request)
	if err != nil || response.Status != http.StatusMultiStatus || response.Header.Get("ETag") != `"1"` || response.retryAfter != "7" ||
		string(response.Body) != "PROPFIND 1 Test/1 <x/>" {
		t.Errorf("the answer is %+v, %v: %q", response, err, response.Body)
	}
	for most, want := range map[int64]Reason{int64(len("PROPFIND 1 Test/1 <x/>")): "", int64(len("PROPFIND 1 Test/1 <x/>")) - 1: ReasonTooLong} {
		request.MostRead = most
		if _, err := c.Do(t.Context(), request); reasonOf(err) != want || (err == nil) != (want == "") {
			t.Errorf("with %d bytes at most the error is %v, want %q", most, err, want)
		}
	}
}

// Do applies the rules for addresses: it does not reach private networks, and
// returns redirects.
func TestDoRefusesPrivateAddresses(t *testing.T) {
	t.Parallel()
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/inside" {
			t.Error("a redirect was followed")
		}
		http.Redirect(w, r, "/inside", http.StatusTemporaryRedirect)
	}))
	t.Cleanup(web.Close)
	response, err := New(Config{AllowPrivate: true}).Do(t.Context(), Request{Method: http.MethodPut, Address: web.URL, Body: []byte("x")})
	if err != nil || response.Status != http.StatusTemporaryRedirect || response.Header.Get("Location") != "/inside" {
		t.Errorf("the answer is %+v, %v", response, err)
	}
	for _, address := range []string{web.URL, strings.Replace(web.URL, "http:", "https:", 1), "https://169.254.169.254/latest"} {
		if _, err := New(Config{}).Do(t.Context(), Request{Method: http.MethodGet, Address: address}); reasonOf(err) != ReasonBlocked {
			t.Errorf("%s: %v", address, err)
		}
	}
}

func TestClientIsATransport(t *testing.T) {
	t.Parallel()
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		_, _ = io.WriteString(w, r.Header.Get("Content-Type")+" "+string(body))
	}))
	t.Cleanup(web.Close)
	answer := func(c *Client, body string) (string, error) {
		res, err := (&http.Client{Transport: c}).Post(web.URL, "text/plain", strings.NewReader(body))
		if err != nil {
			return "", err
		}
		defer func() { _ = res.Body.Close() }()
		text, err := io.ReadAll(res.Body)
		return string(text), err
	}
	if got, err := answer(New(Config{AllowPrivate: true}), "hello"); err != nil || got != "text/plain hello" {
		t.Errorf("the answer is %q, %v", got, err)
	}
	if _, err := answer(New(Config{}), "hello"); reasonOf(err) != ReasonBlocked {
		t.Errorf("a private address: %v", err)
	}
	if _, err := answer(New(Config{AllowPrivate: true}), strings.Repeat("x", mostRead+1)); err == nil {
		t.Error("a body of more than 64 KiB was sent")
	}
}
