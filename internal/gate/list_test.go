package gate_test

import (
	"context"
	"net/http"
	"testing"

	"github.com/gorilla/websocket"

	"github.com/conclave-rooms/conclave/internal/gate"
)

// When the media server of a media room is dead, Interrupt makes the devices there
// connect again.
func TestInterruptDisconnectsTheDevicesOfAMediaRoom(t *testing.T) {
	t.Parallel()
	b := setup(t, false)
	letThrough := b.gate.LetThrough
	b.gate.LetThrough = func(ctx context.Context, token string, r *http.Request) (gate.Decision, error) {
		d, err := letThrough(ctx, token, r)
		d.Media = "r_breakout"
		return d, err
	}
	conn, upstream := b.inFirefox(t), <-b.upstream
	want(t, "in other rooms", b.gate.Interrupt([]string{"r", ""}), 0)
	want(t, "in this room", b.gate.Interrupt([]string{"other", "r_breakout"}), 1)
	wantClose(t, conn, websocket.CloseGoingAway, "restarting")
	wantClose(t, upstream, websocket.CloseGoingAway, "restarting")
	<-b.released
	want(t, "reports of a goodbye", len(b.goodbyes), 0)
}
