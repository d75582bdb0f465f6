package mediatest

import (
	"context"
	"testing"

	"github.com/conclave-rooms/conclave/internal/media/mediaclient"
)

// Join connects a participant, and disconnects it at the end of the test.
func Join(t testing.TB, o mediaclient.Options) *mediaclient.Participant {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	p, err := mediaclient.Connect(ctx, o)
	if err != nil {
		t.Fatalf("join: %v", err)
	}
	t.Cleanup(p.Disconnect)
	return p
}
