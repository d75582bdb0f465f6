package servertest

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/conclave-rooms/conclave/api"
)

// receiver is a customer's server that receives webhooks.
type receiver struct {
	now func() time.Time

	mu      sync.Mutex
	status  int
	header  http.Header
	secrets []string // each of them must have signed
	got     []received
}

// received is one request.
type received struct {
	at     time.Time
	header http.Header
	body   []byte
}

func (r *receiver) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	body, _ := io.ReadAll(req.Body) // a body that was cut short does not verify
	r.mu.Lock()
	defer r.mu.Unlock()
	r.got = append(r.got, received{r.now(), req.Header, body})
	for name, values := range r.header {
		w.Header()[name] = values
	}
	w.WriteHeader(r.status)
}

// receiver starts a receiver: NAME; its address is $NAME_URL from then on.
func (s *story) receiver(name string) {
	r := &receiver{now: s.Now, status: http.StatusOK}
	web := httptest.NewServer(r)
	s.t.Cleanup(web.Close)
	s.receivers[name] = r
	s.vars[strings.ToUpper(name)+"_URL"] = web.URL
}

func (s *story) hook(name string) *receiver {
	r := s.receivers[name]
	if r == nil {
		s.fatal("no receiver is called %s", name)
	}
	return r
}

// answers sets what a receiver answers: NAME STATUS [HEADER VALUE].
func (s *story) answers(rest string) {
	w := words(rest, 4)
	r := s.hook(w[0])
	status, err := strconv.Atoi(w[1])
	if err != nil {
		s.fatal("%q is not a status", w[1])
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.status, r.header = status, http.Header{}
	if w[2] != "" {
		r.header.Set(w[2], w[3])
	}
}

// trusts sets the secrets with which every request must be signed: NAME SECRET
// ...
func (s *story) trusts(rest string) {
	w := words(rest, 2)
	r := s.hook(w[0])
	r.mu.Lock()
	defer r.mu.Unlock()
	r.secrets = strings.Fields(w[1])
}

// receives checks that exactly these types arrived, in any order, since the
// last such line: NAME TYPE ...
func (s *story) receives(rest string) {
	w := words(rest, 2)
	r := s.hook(w[0])
	r.mu.Lock()
	defer r.mu.Unlock()
	left := strings.Fields(w[1])
	var got []string
	for _, one := range r.got {
		var e api.EventEnvelope
		if err := json.Unmarshal(one.body, &e); err != nil {
			s.fatal("%s received %s: %v", w[0], one.body, err)
		}
		got = append(got, string(e.Type))
		s.checkSignature(r, one, e)
		for i, kind := range left {
			if kind == string(e.Type) {
				left = append(left[:i], left[i+1:]...)
				break
			}
		}
		s.vars["RECEIVED_ID"], s.vars["RECEIVED"] = e.ID, string(one.body)
	}
	r.got = nil
	if len(left) > 0 || len(got) != len(strings.Fields(w[1])) {
		s.fatal("%s received %v", w[0], got)
	}
}

// checkSignature verifies a request as a customer does.
func (s *story) checkSignature(r *receiver, one received, e api.EventEnvelope) {
	stamp, signatures, _ := strings.Cut(one.header.Get("Service-Signature"), ",")
	stamp = strings.TrimPrefix(stamp, "t=")
	if at, err := strconv.ParseInt(stamp, 10, 64); err != nil || at != one.at.Unix() {
		s.fatal("the signature's time is %s, not %d", stamp, one.at.Unix())
	}
	if one.header.Get("Webhook-Id") != e.ID || one.header.Get("Content-Type") != "application/json" {
		s.fatal("the headers are %v", one.header)
	}
	var want []string
	for _, secret := range r.secrets {
		h := hmac.New(sha256.New, []byte(secret))
		h.Write([]byte(stamp + "." + string(one.body)))
		want = append(want, "v1="+hex.EncodeToString(h.Sum(nil)))
	}
	if want != nil && signatures != strings.Join(want, ",") {
		s.fatal("the signatures are %s, want %s", signatures, strings.Join(want, ","))
	}
}
