package servertest

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/client/webhook"
)

// receiverOf starts a receiver of the events of a pair.
func (p *pair) receiverOf(t *testing.T, handler http.Handler) api.WebhookEndpointCreated {
	t.Helper()
	web := httptest.NewServer(handler)
	t.Cleanup(web.Close)
	var hook api.WebhookEndpointCreated
	p.maker.ask(t, http.MethodPost, "/api/v1/webhooks", p.key, `{"url": "`+web.URL+`", "events": ["*"]}`, &hook)
	return hook
}

func TestWebhooksAreTriedAgainInTimeWhenAClockIsWrong(t *testing.T) {
	t.Parallel()
	eachWrongClock(t, Options{AllowPrivate: true}, func(t *testing.T, p *pair) {
		r := &receiver{now: p.maker.Now, status: http.StatusInternalServerError}
		hook := p.receiverOf(t, r)
		p.room(t, "")
		received := func(want int) {
			t.Helper()
			r.mu.Lock()
			defer r.mu.Unlock()
			if len(r.got) != want {
				t.Fatalf("%d attempts arrived, want %d", len(r.got), want)
			}
			for _, one := range r.got {
				header := one.header.Get(webhook.SignatureHeader)
				if err := (webhook.Verifier{Secrets: []string{hook.Secret}, Now: func() time.Time { return one.at }}).Verify(header, one.body); err != nil {
					t.Errorf("the receiver refuses the signature: %v", err)
				}
				stamp, _, _ := strings.Cut(strings.TrimPrefix(header, "t="), ",")
				if at, err := strconv.ParseInt(stamp, 10, 64); err != nil || one.at.Sub(time.Unix(at, 0)).Abs() > time.Minute {
					t.Errorf("the signature was made at %s, and it is %d", stamp, one.at.Unix())
				}
			}
		}
		p.maker.Settle()
		received(1)
		p.maker.Advance(11 * time.Second)
		received(2)
		p.other.Advance(40 * time.Second) // the second pause takes at least 54 seconds
		received(2)
		p.other.Advance(26 * time.Second)
		received(3)
	})
}

// A node takes no job from another one that works on it, although by its own clock
// the other's lease is over.
func TestAWebhookUnderWayIsNotSentTwiceWhenAClockIsWrong(t *testing.T) {
	t.Parallel()
	eachWrongClock(t, Options{AllowPrivate: true}, func(t *testing.T, p *pair) {
		arrived, answer := make(chan struct{}, 2), make(chan struct{})
		p.receiverOf(t, http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
			arrived <- struct{}{}
			<-answer
		}))
		p.room(t, "")
		var delivering sync.WaitGroup
		var failed error
		delivering.Go(func() { failed = p.maker.Webhooks.Jobs.Settle(t.Context()) })
		<-arrived
		err := p.other.Webhooks.Jobs.Settle(t.Context())
		close(answer)
		delivering.Wait()
		if err := errors.Join(err, failed); err != nil {
			t.Fatal(err)
		}
		p.other.Settle()
		if len(arrived) > 0 {
			t.Error("the other node sent the event too")
		}
	})
}
