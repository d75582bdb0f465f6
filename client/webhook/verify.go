package webhook

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// SignatureHeader is the header that carries the signature.
const SignatureHeader = "Service-Signature"

// DefaultTolerance is how old a signature may be.
const DefaultTolerance = 5 * time.Minute

// Why a request was not accepted. Use errors.Is.
var (
	// ErrNoSecret: there is nothing to verify with. An empty secret would make
	// every forgery valid, so it is an error of its own and not a mismatch.
	ErrNoSecret = errors.New("webhook: no secret to verify with: it is what begins with whsec_, shown when the endpoint was made")
	// ErrNoSignature: the header is missing; the request is not from the service.
	ErrNoSignature = errors.New("webhook: the request has no " + SignatureHeader + " header")
	// ErrMalformedSignature: the header is not t=<unix seconds>,v1=<hex>.
	ErrMalformedSignature = errors.New("webhook: the " + SignatureHeader + " header cannot be read")
	// ErrSignatureMismatch: somebody else signed, or the body is not as it came.
	ErrSignatureMismatch = errors.New("webhook: no signature matches: the secret is another one, or the body is not the bytes that came")
	// ErrTooOld: signed properly, but longer ago than is tolerated.
	ErrTooOld = errors.New("webhook: the signature is too old")
)

// secretPrefix begins every secret.
const secretPrefix = "whsec_"

// Verifier verifies requests of the service.
type Verifier struct {
	// Secrets are those of the endpoints that post here, as the service showed
	// them. One is enough, also during a rotation: the service signs with both.
	Secrets []string
	// Tolerance is how old a signature may be; zero is DefaultTolerance.
	Tolerance time.Duration
	// Now is the clock; nil is time.Now.
	Now func() time.Time
}

// Verify says whether the service signed these bytes: header is the value of
// Service-Signature, body the request's body exactly as it came.
func (v Verifier) Verify(header string, body []byte) error {
	if len(v.Secrets) == 0 {
		return ErrNoSecret
	}
	s, err := parseSignature(header)
	if err != nil {
		return err
	}
	matches := false
	for _, secret := range v.Secrets {
		if !strings.HasPrefix(secret, secretPrefix) || secret == secretPrefix {
			return ErrNoSecret
		}
		// Every comparison is made, whichever matches, and each takes the same time.
		want := digest(secret, s.timestamp, body)
		for _, given := range s.v1 {
			matches = hmac.Equal(given, want) || matches
		}
	}
	if !matches {
		return ErrSignatureMismatch
	}
	if age, tolerated := v.now().Sub(s.at).Truncate(time.Second), v.tolerance(); age > tolerated {
		return fmt.Errorf("%w: it was made %s ago, and %s is tolerated; is this machine's clock right?", ErrTooOld, age, tolerated)
	}
	return nil
}

func (v Verifier) now() time.Time {
	if v.Now != nil {
		return v.Now()
	}
	return time.Now() //nolint:forbidigo // the customer's clock, unless they set another
}

func (v Verifier) tolerance() time.Duration {
	if v.Tolerance != 0 {
		return v.Tolerance
	}
	return DefaultTolerance
}

// Sign makes the value of Service-Signature, as the service does: for tests of
// a receiver.
func Sign(secret string, at time.Time, body []byte) string {
	t := strconv.FormatInt(at.Unix(), 10)
	return "t=" + t + ",v1=" + hex.EncodeToString(digest(secret, t, body))
}

// digest is the HMAC of "<t>.<body>", with t as it stands in the header.
func digest(secret, t string, body []byte) []byte {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(t + "."))
	mac.Write(body)
	return mac.Sum(nil)
}

// signature is a header that could be read.
type signature struct {
	timestamp string // as it stands there: this is what was signed
	at        time.Time
	v1        [][]byte // what is not hex matches nothing and is left out
}

// maxDigits bounds a time: 15 digits are thirty million years, and an exact
// integer in every language.
const maxDigits = 15

// parseSignature reads "t=<unix seconds>,v1=<hex>", several v1, and schemes of
// the future, which it leaves alone.
func parseSignature(header string) (signature, error) {
	var s signature
	if strings.TrimSpace(header) == "" {
		return s, ErrNoSignature
	}
	found := false
	for item := range strings.SplitSeq(header, ",") {
		key, value, ok := strings.Cut(strings.TrimSpace(item), "=")
		switch {
		case !ok:
			return s, fmt.Errorf("%w: %q is not a name and a value", ErrMalformedSignature, item)
		case key == "t":
			seconds, err := unixSeconds(value)
			if err != nil || s.timestamp != "" {
				return s, fmt.Errorf("%w: it needs exactly one t=<unix seconds>", ErrMalformedSignature)
			}
			s.timestamp, s.at = value, time.Unix(seconds, 0)
		case key == "v1":
			found = true
			if sum, err := hex.DecodeString(value); err == nil {
				s.v1 = append(s.v1, sum)
			}
		}
	}
	if s.timestamp == "" || !found {
		return s, fmt.Errorf("%w: it needs t=<unix seconds> and v1=<hex>", ErrMalformedSignature)
	}
	return s, nil
}

// unixSeconds reads digits and nothing else: no sign, no blanks.
func unixSeconds(text string) (int64, error) {
	if len(text) > maxDigits || strings.Trim(text, "0123456789") != "" {
		return 0, strconv.ErrSyntax
	}
	return strconv.ParseInt(text, 10, 64) //nolint:wrapcheck // the caller says what it was about
}
