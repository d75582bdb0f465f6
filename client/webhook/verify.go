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

// DefaultTolerance is how old a signature may be by default.
const DefaultTolerance = 5 * time.Minute

// Reasons why a request was not accepted. Use errors.Is.
var (
	// ErrNoSecret: there is no secret to verify with. With an empty secret everybody
	// could sign, so this is an error of its own and not a mismatch.
	ErrNoSecret = errors.New("webhook: no secret to verify with: use the one that begins with whsec_ and was shown when the endpoint was made")
	// ErrNoSignature: the header is missing; the request is not from the service.
	ErrNoSignature = errors.New("webhook: the request has no " + SignatureHeader + " header")
	// ErrMalformedSignature: the header is not t=<unix seconds>,v1=<hex>.
	ErrMalformedSignature = errors.New("webhook: the " + SignatureHeader + " header cannot be read")
	// ErrSignatureMismatch: somebody else signed, or the body was changed.
	ErrSignatureMismatch = errors.New("webhook: no signature matches: the secret is wrong, or the body is not the bytes that were received")
	// ErrTooOld: the signature is valid, but older than the tolerance.
	ErrTooOld = errors.New("webhook: the signature is too old")
)

// secretPrefix is the beginning of every secret.
const secretPrefix = "whsec_"

// Verifier verifies requests from the service.
type Verifier struct {
	// Secrets are the secrets of the endpoints that post here, as the service showed
	// them. One for each is enough, even during a rotation, because the service then
	// signs with both.
	Secrets []string
	// Tolerance is how old a signature may be; zero means DefaultTolerance.
	Tolerance time.Duration
	// Now is the clock; nil means time.Now.
	Now func() time.Time
}

// Verify returns nil if the service signed these bytes. header is the value of
// Service-Signature, body the unchanged body of the request.
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
		// Make every comparison, even after a match, each in constant time.
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

// Sign makes the value of Service-Signature as the service does, for tests of receivers.
func Sign(secret string, at time.Time, body []byte) string {
	t := strconv.FormatInt(at.Unix(), 10)
	return "t=" + t + ",v1=" + hex.EncodeToString(digest(secret, t, body))
}

// digest returns the HMAC of "<t>.<body>", with t exactly as in the header.
func digest(secret, t string, body []byte) []byte {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(t + "."))
	mac.Write(body)
	return mac.Sum(nil)
}

// signature is a parsed header.
type signature struct {
	timestamp string // exactly as in the header, because this text was signed
	at        time.Time
	v1        [][]byte // without values that are not hex, which cannot match
}

// maxDigits limits a time: 15 digits are thirty million years, and an exact integer in
// every language.
const maxDigits = 15

// parseSignature reads "t=<unix seconds>,v1=<hex>" with one or more v1. It ignores
// unknown schemes.
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

// unixSeconds reads digits only: no sign, no spaces.
func unixSeconds(text string) (int64, error) {
	if len(text) > maxDigits || strings.Trim(text, "0123456789") != "" {
		return 0, strconv.ErrSyntax
	}
	return strconv.ParseInt(text, 10, 64) //nolint:wrapcheck // the caller wraps it
}
