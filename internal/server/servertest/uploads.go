package servertest

import (
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"strconv"
	"strings"
)

// Bytes makes a request whose body is bytes, with their digest.
func Bytes(method, path, bearer, body string) Request {
	return Request{Method: method, Path: path, Bearer: bearer, Body: body, Header: http.Header{
		"Content-Type": {"application/octet-stream"}, "Content-Digest": {Digest(body)},
	}}
}

// Digest is the value of Content-Digest for a body.
func Digest(body string) string {
	sum := sha256.Sum256([]byte(body))
	return "sha-256=:" + base64.StdEncoding.EncodeToString(sum[:]) + ":"
}

// putBytes sends bytes to the meeting protocol. Headers set by a line before
// replace its own.
func (s *story) putBytes(rest string) {
	w := words(rest, 4)
	o, _ := options(w[1], "bearer")
	r := Bytes(http.MethodPut, "/meet/v1"+w[0], o["bearer"], s.repeated(w[2], w[3]))
	for name, values := range s.more {
		r.Header[name] = values
		if values[0] == "none" {
			delete(r.Header, name)
		}
	}
	s.more = nil
	s.last = s.Send(r)
}

// expectBytes checks that the last answer is these bytes.
func (s *story) expectBytes(rest string) {
	w := words(rest, 2)
	if want := s.repeated(w[0], w[1]); string(s.last.Body) != want {
		s.fatal("the answer is %d bytes, not these %d", len(s.last.Body), len(want))
	}
}

// repeated repeats a text.
func (s *story) repeated(times, text string) string {
	n, err := strconv.Atoi(times)
	if err != nil || text == "" {
		s.fatal("%s %s are not a number and a text", times, text)
	}
	return strings.Repeat(text, n)
}
