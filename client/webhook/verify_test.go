package webhook

import (
	"encoding/json"
	"errors"
	"os"
	"strings"
	"testing"
	"time"
)

// vector is one entry of testdata/vectors.json, which the tests of the TypeScript package
// use as well.
type vector struct {
	Name      string   `json:"name"`
	Secrets   []string `json:"secrets"`
	Now       int64    `json:"now"`
	Header    string   `json:"header"`
	Tolerance *int64   `json:"tolerance"`
	Body      []byte   `json:"body_base64"`
	Want      string   `json:"want"`
}

func (v vector) verifier() Verifier {
	out := Verifier{Secrets: v.Secrets, Now: func() time.Time { return time.Unix(v.Now, 0) }}
	if v.Tolerance != nil {
		out.Tolerance = time.Duration(*v.Tolerance) * time.Second
	}
	return out
}

// codes maps the names in the vectors to errors.
var codes = map[string]error{
	"ok": nil, "no_secret": ErrNoSecret, "no_signature": ErrNoSignature, "malformed_signature": ErrMalformedSignature,
	"signature_mismatch": ErrSignatureMismatch, "too_old": ErrTooOld,
}

func vectors(t testing.TB) []vector {
	t.Helper()
	text, err := os.ReadFile("testdata/vectors.json")
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Vectors []vector `json:"vectors"`
	}
	if err := json.Unmarshal(text, &file); err != nil {
		t.Fatal(err)
	}
	if len(file.Vectors) < 40 {
		t.Fatalf("%d vectors were read, which cannot be all of them", len(file.Vectors))
	}
	return file.Vectors
}

func TestVectors(t *testing.T) {
	t.Parallel()
	for _, v := range vectors(t) {
		t.Run(v.Name, func(t *testing.T) {
			t.Parallel()
			want, known := codes[v.Want]
			if !known {
				t.Fatalf("the vector wants %q, which is unknown here", v.Want)
			}
			if got := v.verifier().Verify(v.Header, v.Body); !errors.Is(got, want) {
				t.Errorf("Verify = %v, want %v", got, want)
			}
		})
	}
}

// A signature that is five minutes and a fraction of a second old counts as five minutes
// old, because t has whole seconds.
func TestTheAgeOfASignatureCountsWholeSeconds(t *testing.T) {
	t.Parallel()
	v := vectors(t)[0]
	made := time.Unix(v.Now, 0)
	for _, c := range []struct {
		age  time.Duration
		want error
	}{
		{DefaultTolerance + 999*time.Millisecond, nil},
		{DefaultTolerance + time.Second, ErrTooOld},
	} {
		verifier := Verifier{Secrets: v.Secrets, Now: func() time.Time { return made.Add(c.age) }}
		if err := verifier.Verify(v.Header, v.Body); !errors.Is(err, c.want) {
			t.Errorf("after %s: %v, want %v", c.age, err, c.want)
		}
	}
}

// A Verifier with only a secret uses the machine's clock.
func TestAVerifierUsesTheMachinesClock(t *testing.T) {
	t.Parallel()
	const secret = "whsec_abc"
	v := Verifier{Secrets: []string{secret}}
	body := []byte(`{}`)
	if err := v.Verify(Sign(secret, time.Now(), body), body); err != nil {
		t.Errorf("signed now: %v", err)
	}
	if err := v.Verify(Sign(secret, time.Now().Add(-6*time.Minute), body), body); !errors.Is(err, ErrTooOld) {
		t.Errorf("signed six minutes ago: %v, want %v", err, ErrTooOld)
	}
}

// Sign makes the signatures in the vectors.
func TestSign(t *testing.T) {
	t.Parallel()
	v := vectors(t)[0]
	if got := Sign(v.Secrets[0], time.Unix(v.Now, 0), v.Body); got != v.Header {
		t.Errorf("Sign = %s, want %s", got, v.Header)
	}
}

// No header makes Verify panic. A header that it accepts has a time and was signed with
// the secret, and does not fit a changed body.
func FuzzVerify(f *testing.F) {
	for _, v := range vectors(f) {
		f.Add(v.Header, v.Body)
	}
	f.Add("t=1,v1=,v1=,v1=00", []byte("x"))
	f.Add(strings.Repeat("v1=00,", 1000)+"t=1", []byte{})
	f.Add("t=1=2,v1==", []byte{0})
	secret := vectors(f)[0].Secrets[0]
	f.Fuzz(func(t *testing.T, header string, body []byte) {
		s, err := parseSignature(header)
		if err == nil && (s.timestamp == "" || s.at.Unix() < 0) {
			t.Errorf("%q was read as %+v", header, s)
		}
		v := Verifier{Secrets: []string{secret}, Now: func() time.Time { return s.at }}
		if v.Verify(header, body) != nil {
			return
		}
		if !strings.Contains(strings.ToLower(header), strings.TrimPrefix(Sign(secret, s.at, body), "t="+s.timestamp+",")) {
			t.Errorf("%q was accepted without our signature", header)
		}
		if err := v.Verify(header, append(body, '!')); !errors.Is(err, ErrSignatureMismatch) {
			t.Errorf("another body with %q: %v", header, err)
		}
	})
}
