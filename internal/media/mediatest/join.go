package mediatest

import (
	"context"
	"testing"
	"time"

	"github.com/conclave-rooms/conclave/internal/media/mediaclient"
)

// Join connects a participant, and disconnects it at the end of the test.
func Join(t testing.TB, o mediaclient.Options) *mediaclient.Participant {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	p, err := mediaclient.Connect(ctx, o)
	if err != nil {
		t.Fatalf("join: %v", err)
	}
	t.Cleanup(p.Disconnect)
	return p
}
