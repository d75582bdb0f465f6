package gate

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gorilla/websocket"
)

// relay is one open connection: a client on one side, the media server on the
// other.
type relay struct {
	gate     *Gate
	decision Decision
	requests requests // only the client's pump uses it
	pace     *pace    // of the client; only its pump uses it
	offer    heldOffer
	tracks   newTracks
	client   *websocket.Conn
	upstream *websocket.Conn
	silent   bool // the client's page cannot say goodbye when it is left
	ending   sync.Once
	leaving  sync.Once
	writing  map[*websocket.Conn]*sync.Mutex // one message at a time on each side

	dismissed atomic.Bool // the client has to go, and may send no more
	told      atomic.Bool // the media server's leave message was written to the client
	goodbye   atomic.Bool // the client said that it leaves
	over      atomic.Bool // the connection ends, and not because the client left
}

func (l *relay) close() {
	_ = l.client.Close()
	_ = l.upstream.Close()
}

// run relays until either side ends. The other side then gets the reason and a
// moment to answer.
func (l *relay) run() {
	for range l.requests.tracks { // those in the request to join
		l.gate.Suspects.announced(l.decision)
	}
	if l.pace == nil {
		l.pace = newPace()
	}
	l.join(l.client, l.upstream, maxRequest, func() { l.pace.wait(passage{weight: 1}) })
	l.join(l.upstream, l.client, maxResponse, func() {})

	var both sync.WaitGroup
	l.writing = map[*websocket.Conn]*sync.Mutex{l.client: {}, l.upstream: {}}
	both.Go(func() { l.pump(l.upstream, l.client, "client", l.passRequest) })
	both.Go(func() { l.pump(l.client, l.upstream, mediaServer, l.passResponse) })
	both.Wait()
}

// passRequest filters a message of the client, tells Suspects of the tracks it
// announces, and waits until the message may pass. A client that missed that it was
// muted is told again.
func (l *relay) passRequest(kind int, message []byte) (passage, error) {
	if l.dismissed.Load() {
		return passage{}, nil
	}
	before := l.requests.tracks
	what, err := l.requests.pass(kind, message)
	for range l.requests.tracks - before {
		l.gate.Suspects.announced(l.decision)
	}
	if err != nil {
		return passage{}, err
	}
	l.pace.wait(what)
	if l.dismissed.Load() {
		return passage{}, nil
	}
	if what.goodbye {
		l.heardGoodbye()
	}
	if l.requests.saysMuted && what.mute != nil && l.tracks.missed(what.mute, now()) {
		return passage{answer: encode(mutedAgain(what.mute.GetSid()))}, nil
	}
	return what, nil
}

// passResponse passes a message of the media server, and notes what it says of the
// client's tracks.
func (l *relay) passResponse(_ int, message []byte) (passage, error) {
	what := passResponse(message)
	if what.published != nil {
		l.tracks.publish(what.published, now())
	}
	if what.mute != nil {
		l.tracks.mute(what.mute)
	}
	l.settleOffer(&what)
	return what, nil
}

// heardGoodbye reports a client's goodbye, unless it only answers the end of the
// connection: clients that lost the media server, or that it told to reconnect, say
// the same before they come back.
func (l *relay) heardGoodbye() {
	if l.goodbye.Swap(true) || l.over.Load() || l.decision.Goodbye == nil {
		return
	}
	l.decision.Goodbye()
}

// goneAway says goodbye for a client whose page went away, where the page could not say
// it. A proxy may close the connections of other clients with the same code, too (docs/decisions/0047).
func (l *relay) goneAway() {
	if !l.silent || l.goodbye.Load() || l.over.Load() || l.dismissed.Load() {
		return
	}
	l.heardGoodbye()
	l.write(l.upstream, websocket.BinaryMessage, farewell())
}

// join passes pings and pongs of one side on to the other, each in its turn. Each
// also proves that its sender is alive.
func (l *relay) join(from, to *websocket.Conn, limit int64, wait func()) {
	from.SetReadLimit(limit)
	alive(from)
	pass := func(kind int) func(string) error {
		return func(data string) error {
			wait()
			alive(from)
			// A side that accepts no control frame is about to fail on its own.
			_ = to.WriteControl(kind, []byte(data), within(writeTimeout))
			return nil
		}
	}
	from.SetPingHandler(pass(websocket.PingMessage))
	from.SetPongHandler(pass(websocket.PongMessage))
	from.SetCloseHandler(func(int, string) error { return nil }) // the pump passes the close on
}

// alive restarts a side's idle time.
func alive(c *websocket.Conn) { _ = c.SetReadDeadline(within(idleTimeout)) }

// within makes a deadline from a duration.
func within(d time.Duration) time.Time { return now().Add(d) }

func now() time.Time {
	return time.Now() //nolint:forbidigo // sockets and messages follow the real clock
}

const mediaServer = "media server"

// pump passes messages one way until a side fails or sends a message that it
// must not. Then it keeps reading for as long as the relay lingers: closing a
// socket with unread data would reset the connection and lose the last message
// to it.
func (l *relay) pump(to, from *websocket.Conn, side string, pass func(kind int, message []byte) (passage, error)) {
	for {
		kind, message, err := from.ReadMessage()
		if err != nil {
			l.finish(err, from, side)
			return
		}
		alive(from)
		what, err := pass(kind, message)
		if err != nil {
			l.breached(err, side)
			continue
		}
		if what.leave {
			l.over.Store(true)
		}
		l.write(to, kind, what.forward)
		l.write(from, kind, what.answer)
		if what.leave {
			l.told.Store(true)
			if l.dismissed.Load() {
				l.end(websocket.ClosePolicyViolation, dismissal)
			}
		}
	}
}

// dismissal is the text of the close frame for a client that has to go.
const dismissal = "disconnected"

// dismiss ends the connection of a client that has to go. Nothing that the client
// sends passes any more. The media server has a moment to say why: a client that
// only loses the connection tries to come back.
func (l *relay) dismiss() {
	l.dismissed.Store(true)
	if l.told.Load() {
		l.end(websocket.ClosePolicyViolation, dismissal)
		return
	}
	time.AfterFunc(leaveTimeout, func() { l.end(websocket.ClosePolicyViolation, dismissal) })
}

// write sends a message to one side, unless the message is empty.
func (l *relay) write(to *websocket.Conn, kind int, message []byte) {
	if len(message) == 0 {
		return
	}
	l.writing[to].Lock()
	defer l.writing[to].Unlock()
	_ = to.SetWriteDeadline(within(writeTimeout))
	if err := to.WriteMessage(kind, message); err != nil {
		l.unwritable(to)
	}
}

// unwritable ends both sides after writing to one of them failed. The pump that
// reads from this side knows the reason better; if it noticed first, the reason
// it gave counts. The media server gets a moment to send its own reason: it
// closes its side as soon as it has told a client to leave, and the client must
// read that before the close. A client that said goodbye has closed its side,
// as it should.
func (l *relay) unwritable(side *websocket.Conn) {
	const lost = "connection lost"
	switch {
	case side == l.upstream:
		l.endSoon(websocket.CloseInternalServerErr, lost)
	case l.goodbye.Load():
		l.endSoon(websocket.CloseNormalClosure, "")
	default:
		l.end(websocket.CloseInternalServerErr, lost)
	}
}

// lost ends both sides after one of them is gone. A client that said goodbye
// closes its side at once. The media server then gets a moment to handle
// the goodbye: if the close arrives first, LiveKit treats it as a lost network.
func (l *relay) lost(side *websocket.Conn, code int, reason string) {
	if side == l.client && l.goodbye.Load() {
		l.endSoon(code, reason)
		return
	}
	l.end(code, reason)
}

// endSoon is end, after a moment for the media server.
func (l *relay) endSoon(code int, reason string) {
	l.leaving.Do(func() { time.AfterFunc(leaveTimeout, func() { l.end(code, reason) }) })
}

// finish ends both sides after reading from one of them failed.
func (l *relay) finish(err error, from *websocket.Conn, side string) {
	if errors.Is(err, websocket.ErrReadLimit) {
		l.breached(errTooLarge, side)
		return
	}
	var closed *websocket.CloseError
	if errors.As(err, &closed) {
		if from == l.client && closed.Code == websocket.CloseGoingAway {
			l.goneAway()
		}
		l.lost(from, closed.Code, closed.Text)
		return
	}
	l.lost(from, websocket.CloseInternalServerErr, "the "+side+" is gone")
}

// breached ends both sides after one of them sent a message that it must not.
// The message stays out of the log: it is long and may be private.
func (l *relay) breached(err error, side string) {
	level, why := slog.LevelDebug, errMalformed
	if side == mediaServer {
		level = slog.LevelWarn // the media server is trusted, and everybody in the room is affected
	}
	_ = errors.As(err, &why)
	l.gate.Logger.Log(context.Background(), level, "signalling ended", "from", side, "reason", why.text,
		"room", l.decision.Room, "identity", l.decision.Identity)
	l.end(why.code, why.text)
}

// end sends both sides the same close frame, once, and gives them a moment to
// read it before the sockets close.
func (l *relay) end(code int, reason string) {
	l.ending.Do(func() {
		l.over.Store(true)
		switch code {
		case websocket.CloseNoStatusReceived:
			code, reason = websocket.CloseNormalClosure, ""
		case websocket.CloseAbnormalClosure, websocket.CloseTLSHandshake:
			code, reason = websocket.CloseInternalServerErr, "connection lost" // these two codes are never sent
		}
		word := websocket.FormatCloseMessage(code, reason)
		_ = l.client.WriteControl(websocket.CloseMessage, word, within(lingerTimeout))
		_ = l.upstream.WriteControl(websocket.CloseMessage, word, within(lingerTimeout))
		time.AfterFunc(lingerTimeout, l.close)
	})
}
