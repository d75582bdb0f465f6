package rest

import (
	"net/http"
	"strconv"

	"github.com/conclave-rooms/conclave/internal/asset"
)

// compressFrom is the length from which answers are compressed: shorter ones fit
// into one packet anyway.
const compressFrom = 1000

// write writes an answer, compressed where that is safe and the caller accepts it.
//
// The length of a compressed answer can tell a secret in it to somebody who
// chooses other parts of the answer, sees its length, and repeats this many times
// (the attack BREACH). The secrets of this API are shown once, in answers to
// requests that change something; these are never compressed. And an attacker's
// page can only make a browser send requests that carry the header Sec-Fetch-Site
// with another value than those here; their answers are not compressed either.
func (x *exchange) write(a answer) error {
	x.w.Header().Add("Vary", "Accept-Encoding, Sec-Fetch-Site")
	if !x.compresses(a) {
		writeAnswer(x.w, a)
		return nil
	}
	packed, err := x.edge.packer.Gzip(a.Body)
	if err != nil {
		return err
	}
	h := x.w.Header()
	h.Set("Content-Type", mediaJSON)
	h.Set("Content-Encoding", "gzip")
	h.Set("Content-Length", strconv.Itoa(len(packed)))
	x.w.WriteHeader(a.Status)
	_, _ = x.w.Write(packed) // the client may be gone
	return nil
}

func (x *exchange) compresses(a answer) bool {
	if x.r.Method != http.MethodGet || len(a.Body) < compressFrom || !asset.Accepts(x.r.Header.Get("Accept-Encoding"), "gzip") {
		return false
	}
	switch x.r.Header.Get("Sec-Fetch-Site") {
	case "", "none", "same-origin": // no browser, or a page of this service
		return true
	}
	return false
}
