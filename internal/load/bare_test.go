package load

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"github.com/conclave-rooms/conclave/internal/media/livekit"
)

func TestMain(m *testing.M) {
	livekit.RunIfChild()
	m.Run()
}

// A load on a media server alone has people who hear and see each other, and nothing
// that only a service has.
func TestLoadOnAMediaServerAlone(t *testing.T) {
	t.Parallel()
	secret := "a secret of at least thirty-two characters"
	server, err := livekit.Embed(t.Context(), livekit.EmbedConfig{APIKey: "key", APISecret: secret, NodeIP: "127.0.0.1", Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Stop(context.Background()) })
	o := Options{
		Bare: &Bare{URL: server.Upstream(), Key: "key", Secret: secret}, Rooms: 2, People: 3, Microphones: 3, Cameras: 1, Hold: time.Second, Churn: 60,
		Say: t.Logf,
	}
	report, err := Run(t.Context(), o)
	if err != nil || len(report.Failures) > 0 || report.Inside != 6 || report.Media.Packets == 0 || report.Media.Undecryptable > 0 {
		t.Errorf("%+v, %v", report, err)
	}
	rooms, err := server.Rooms(t.Context())
	if err != nil || len(rooms) != 0 {
		t.Errorf("left behind: %v, %v", rooms, err)
	}
	o.Polls = true
	if _, err := Run(t.Context(), o); err == nil {
		t.Error("polls without a service are not refused")
	}
}
