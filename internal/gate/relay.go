package gate

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/gorilla/websocket"
)

// relay is one open connection: a client on one side, the media server on the
// other.
type relay struct {
	gate     *Gate
	decision Decision
	requests requests // only the client's pump uses it
	client   *websocket.Conn
	upstream *websocket.Conn
	ending   sync.Once
	writing  map[*websocket.Conn]*sync.Mutex // a message at a time on each side
}

func (l *relay) close() {
	_ = l.client.Close()
	_ = l.upstream.Close()
}

// run relays until either side is done. When one ends, the other is told why,
// and has a moment to answer.
func (l *relay) run() {
	for range l.requests.tracks { // in the request to join
		l.gate.Suspects.announced(l.decision)
	}
	l.join(l.client, l.upstream, maxRequest)
	l.join(l.upstream, l.client, maxResponse)

	var both sync.WaitGroup
	l.writing = map[*websocket.Conn]*sync.Mutex{l.client: {}, l.upstream: {}}
	both.Go(func() { l.pump(l.upstream, l.client, "client", l.ask) })
	both.Go(func() { l.pump(l.client, l.upstream, mediaServer, passOn) })
	both.Wait()
}

// ask looks at what the client sends, and notes the tracks it announces.
func (l *relay) ask(kind int, message []byte) (passage, error) {
	before := l.requests.tracks
	what, err := l.requests.pass(kind, message)
	for range l.requests.tracks - before {
		l.gate.Suspects.announced(l.decision)
	}
	return what, err
}

// join makes what arrives at one side count on the other: pings and pongs are
// passed on, and prove that the side is alive.
func (l *relay) join(from, to *websocket.Conn, limit int64) {
	from.SetReadLimit(limit)
	alive(from)
	pass := func(kind int) func(string) error {
		return func(data string) error {
			alive(from)
			// A side that takes no control frame is about to fail on its own.
			_ = to.WriteControl(kind, []byte(data), within(writeTimeout))
			return nil
		}
	}
	from.SetPingHandler(pass(websocket.PingMessage))
	from.SetPongHandler(pass(websocket.PongMessage))
	from.SetCloseHandler(func(int, string) error { return nil }) // the pump ends with it, and passes it on
}

// alive gives a side the whole idle time again.
func alive(c *websocket.Conn) { _ = c.SetReadDeadline(within(idleTimeout)) }

// within is a deadline.
func within(d time.Duration) time.Time {
	return time.Now().Add(d) //nolint:forbidigo // deadlines are the sockets', which have the real clock
}

const mediaServer = "media server"

// pump carries the messages that pass one way until one side fails, or sends
// what it must not. Then it goes on reading, for as long as the relay lingers:
// closing a socket with unread data in it would reset the connection, and take
// our last word with it.
func (l *relay) pump(to, from *websocket.Conn, side string, pass func(kind int, message []byte) (passage, error)) {
	for {
		kind, message, err := from.ReadMessage()
		if err != nil {
			l.finish(err, side)
			return
		}
		alive(from)
		what, err := pass(kind, message)
		if err != nil {
			l.breached(err, side)
			continue
		}
		l.write(to, kind, what.forward)
		l.write(from, kind, what.answer)
	}
}

// write sends a message to one side; nothing, if there is none.
func (l *relay) write(to *websocket.Conn, kind int, message []byte) {
	if len(message) == 0 {
		return
	}
	l.writing[to].Lock()
	defer l.writing[to].Unlock()
	_ = to.SetWriteDeadline(within(writeTimeout))
	if err := to.WriteMessage(kind, message); err != nil {
		// The side written to has its own pump, which knows better why, and
		// comes first if it noticed first.
		l.end(websocket.CloseInternalServerErr, "connection lost")
	}
}

// finish ends both sides after one of them could not be read any more.
func (l *relay) finish(err error, side string) {
	if errors.Is(err, websocket.ErrReadLimit) {
		l.breached(errTooLarge, side)
		return
	}
	var closed *websocket.CloseError
	if errors.As(err, &closed) {
		l.end(closed.Code, closed.Text)
		return
	}
	l.end(websocket.CloseInternalServerErr, "the "+side+" is gone")
}

// breached ends both sides after one of them sent what it must not. What that
// was is left out of the log: it is long, or not ours to read.
func (l *relay) breached(err error, side string) {
	level, why := slog.LevelDebug, errMalformed
	if side == mediaServer {
		level = slog.LevelWarn // nothing of the kind is known of it, and everybody in the room would feel it
	}
	_ = errors.As(err, &why)
	l.gate.Logger.Log(context.Background(), level, "signalling ended", "from", side, "reason", why.text,
		"room", l.decision.Room, "identity", l.decision.Identity)
	l.end(why.code, why.text)
}

// end tells both sides the same last word, once, and gives them a moment to
// read it before the sockets go.
func (l *relay) end(code int, reason string) {
	l.ending.Do(func() {
		switch code {
		case websocket.CloseNoStatusReceived:
			code, reason = websocket.CloseNormalClosure, ""
		case websocket.CloseAbnormalClosure, websocket.CloseTLSHandshake:
			code, reason = websocket.CloseInternalServerErr, "connection lost" // these two never travel
		}
		word := websocket.FormatCloseMessage(code, reason)
		_ = l.client.WriteControl(websocket.CloseMessage, word, within(lingerTimeout))
		_ = l.upstream.WriteControl(websocket.CloseMessage, word, within(lingerTimeout))
		time.AfterFunc(lingerTimeout, l.close)
	})
}
