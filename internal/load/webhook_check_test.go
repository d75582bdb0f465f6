package load

import (
	"context"
	"testing"
	"testing/synctest"

	"github.com/conclave-rooms/conclave/api"
)

// Webhooks may come before the person is expected, twice, and in any order.
func TestWebhooksOfThoseWhoLeft(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := &run{measures: newMeasures(), o: Options{Webhooks: "127.0.0.1:0"}}
		r.webhooks.received(api.EventParticipantLeft, "ada")
		r.webhooks.received(api.EventParticipantJoined, "stranger")
		r.webhooks.expect("ada")
		complete := make(chan struct{})
		go func() {
			r.waitForWebhooks(t.Context())
			close(complete)
		}()
		synctest.Wait() // until the wait has begun
		r.webhooks.received(api.EventParticipantLeft, "ada")
		r.webhooks.received(api.EventParticipantJoined, "ada")
		<-complete
		if failed := r.firstFailures(); len(failed) != 0 {
			t.Errorf("everything came, and %q failed", failed)
		}
	})
}

func TestMissingWebhooksAreReported(t *testing.T) {
	t.Parallel()
	r := &run{measures: newMeasures(), o: Options{Webhooks: "127.0.0.1:0"}}
	r.webhooks.expect("ada")
	r.webhooks.received(api.EventParticipantJoined, "ada")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	r.waitForWebhooks(ctx)
	if failed := r.firstFailures(); len(failed) != 1 || failed[0] != "webhook: participant.left of ada did not come" {
		t.Errorf("failed: %q", failed)
	}
}

func TestARunWithoutWebhooksWaitsForNone(t *testing.T) {
	t.Parallel()
	r := &run{measures: newMeasures()}
	r.webhooks.expect("ada")
	r.waitForWebhooks(t.Context())
	if failed := r.firstFailures(); len(failed) != 0 {
		t.Errorf("failed: %q", failed)
	}
}
