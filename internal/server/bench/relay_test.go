package bench

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/gorilla/websocket"
	"google.golang.org/protobuf/encoding/protowire"

	"github.com/conclave-rooms/conclave/internal/gate"
)

// BenchmarkRelay compares signalling through the gate with direct signalling,
// against a media server that echoes: a message there and back, as small as a
// mute and as large as a session description of a full meeting, and opening a
// connection.
func BenchmarkRelay(b *testing.B) {
	back := httptest.NewServer(http.HandlerFunc(echo))
	b.Cleanup(back.Close)
	upstream := "ws" + strings.TrimPrefix(back.URL, "http")
	front := httptest.NewServer(&gate.Gate{
		Upstream: upstream, Logger: slog.New(slog.DiscardHandler),
		Verify: func(string) (string, error) { return "anybody", nil },
		LetThrough: func(context.Context, string, *http.Request) (gate.Decision, error) {
			return gate.Decision{Token: "upstream", Identity: "guest_a.1", Room: "r"}, nil
		},
	})
	b.Cleanup(front.Close)
	through, direct := "ws"+strings.TrimPrefix(front.URL, "http"), upstream
	for _, size := range []int{200, 20_000} {
		b.Run(fmt.Sprintf("message=%dB", size), func(b *testing.B) {
			beside(b, roundTrips(b, through, size), roundTrips(b, direct, size))
		})
	}
	b.Run("connect", func(b *testing.B) {
		beside(b, &team{calls: []func() error{func() error { return connect(b, through) }}},
			&team{calls: []func() error{func() error { return connect(b, direct) }}})
	})
}

// beside lets both teams work in turns and reports what the gate adds.
func beside(b *testing.B, through, direct *team) {
	b.Helper()
	turns(b, through, direct)
	with, without := percentile(through.took, 0.5), percentile(direct.took, 0.5)
	b.ReportMetric(micros(with), "p50-µs")
	b.ReportMetric(micros(percentile(through.took, 0.99)), "p99-µs")
	b.ReportMetric(micros(without), "direct-p50-µs")
	b.ReportMetric(micros(with-without), "added-µs")
}

func echo(w http.ResponseWriter, r *http.Request) {
	conn, err := (&websocket.Upgrader{}).Upgrade(w, r, nil)
	if err != nil {
		return
	}
	defer func() { _ = conn.Close() }()
	for {
		kind, message, err := conn.ReadMessage()
		if err != nil || conn.WriteMessage(kind, message) != nil {
			return
		}
	}
}

func open(b *testing.B, address string) (*websocket.Conn, error) {
	b.Helper()
	conn, res, err := websocket.DefaultDialer.DialContext(b.Context(), address+"/rtc?protocol=17&access_token=client", nil)
	if res != nil {
		_ = res.Body.Close()
	}
	return conn, err //nolint:wrapcheck // the callers fail with it
}

func roundTrips(b *testing.B, address string, size int) *team {
	b.Helper()
	conn, err := open(b, address)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = conn.Close() })
	message := offer(size)
	return &team{calls: []func() error{func() error {
		if err := conn.WriteMessage(websocket.BinaryMessage, message); err != nil {
			return err
		}
		_, got, err := conn.ReadMessage()
		if err == nil && len(got) != len(message) {
			err = fmt.Errorf("sent %d bytes, %d came back", len(message), len(got))
		}
		return err
	}}}
}

// offer is an offer of about this size, with lines as long as in real
// descriptions.
func offer(size int) []byte {
	line := "a=" + strings.Repeat("m", 61) + "\r\n"
	field := func(number protowire.Number, value string) []byte {
		return protowire.AppendString(protowire.AppendTag(nil, number, protowire.BytesType), value)
	}
	return field(1, string(slices.Concat(field(1, "offer"), field(2, strings.Repeat(line, max(1, size/len(line)))))))
}

// connect opens a connection, exchanges a message to be sure that it works, and
// closes it.
func connect(b *testing.B, address string) error {
	b.Helper()
	conn, err := open(b, address)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close() }()
	if err := conn.WriteMessage(websocket.BinaryMessage, offer(1)); err != nil {
		return err
	}
	_, _, err = conn.ReadMessage()
	return err
}
