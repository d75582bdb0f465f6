package gate_test

import (
	"testing"
	"time"

	"github.com/gorilla/websocket"
	"google.golang.org/protobuf/encoding/protowire"

	"github.com/conclave-rooms/conclave/internal/gate"
)

// The gate reports who comes in and which tracks they announce: after an hour
// in the meeting, a new track makes somebody a suspect again.
func TestTheGateReportsArrivalsAndTracks(t *testing.T) {
	t.Parallel()
	b := setup(t, true)
	now := make(chan time.Time, 1)
	now <- time.Date(2026, 11, 22, 10, 0, 0, 0, time.UTC)
	later := func(d time.Duration) { now <- (<-now).Add(d) }
	b.gate.Suspects = gate.NewSuspects(func() time.Time { at := <-now; now <- at; return at })
	conn := b.join(t)
	later(10 * time.Second)
	want(t, "suspects after an arrival", len(b.gate.Suspects.MediaEnded()), 1)
	later(time.Hour)
	want(t, "suspects an hour later", len(b.gate.Suspects.MediaEnded()), 0)
	later(time.Hour)
	cid := protowire.AppendString(protowire.AppendTag(nil, 1, protowire.BytesType), "c")
	addTrack := protowire.AppendBytes(protowire.AppendTag(nil, 4, protowire.BytesType), cid)
	if err := conn.WriteMessage(websocket.BinaryMessage, addTrack); err != nil {
		t.Fatal(err)
	}
	if _, _, err := conn.ReadMessage(); err != nil { // once the echo is back, the gate has seen it
		t.Fatal(err)
	}
	want(t, "suspects after a new track", len(b.gate.Suspects.MediaEnded()), 1)
}
