package gate

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/gorilla/websocket"
)

// arrive counts a request that is not decided yet. It fails once the gate is
// closing.
func (g *Gate) arrive() (since int, ok bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closing {
		return 0, false
	}
	g.arriving = append(g.arriving, g.clock)
	return g.clock, true
}

// arrived ends what arrive began. Identities that were disconnected before all the
// requests that are still arriving are forgotten. On a busy node there may be no moment
// without such requests.
func (g *Gate) arrived(since int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	at, _ := slices.BinarySearch(g.arriving, since) // the clock only goes forward
	g.arriving = slices.Delete(g.arriving, at, at+1)
	switch {
	case len(g.arriving) == 0:
		g.cut = nil
	case g.arriving[0] > since:
		maps.DeleteFunc(g.cut, func(_ string, when int) bool { return when <= g.arriving[0] })
	}
}

// enter puts a relay on the list. It fails when the identity was disconnected,
// or the gate closed, since the request arrived.
func (g *Gate) enter(l *relay, since int) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closing || g.cut[l.decision.Identity] > since {
		return errCut
	}
	if g.relays == nil {
		g.relays = map[*relay]struct{}{}
	}
	g.relays[l] = struct{}{}
	g.Suspects.entered(l.decision)
	g.ended.Add(1)
	g.changed()
	return nil
}

func (g *Gate) leave(l *relay) {
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.relays, l)
	g.Suspects.left(l.decision)
	g.ended.Done()
	g.changed()
}

func (g *Gate) changed() {
	if g.OnChange != nil {
		g.OnChange(len(g.relays))
	}
}

// Disconnect ends every connection of an identity, also one that is just being
// made, and says how many were open. What the clients send is dropped at once.
// The media server has a moment to tell them why; so remove them there first. It
// does not keep the identity out: LetThrough does, and has to refuse it before this is
// called.
func (g *Gate) Disconnect(identity string) int {
	g.mu.Lock()
	g.clock++
	if len(g.arriving) > 0 {
		if g.cut == nil {
			g.cut = map[string]int{}
		}
		g.cut[identity] = g.clock
	}
	found := g.find(func(l *relay) bool { return l.decision.Identity == identity })
	g.mu.Unlock()
	for _, l := range found {
		l.dismiss()
	}
	return len(found)
}

// Interrupt ends the connections to media rooms, whose devices then connect again
// by themselves, and says how many there were.
func (g *Gate) Interrupt(mediaRooms []string) int {
	g.mu.Lock()
	found := g.find(func(l *relay) bool { return slices.Contains(mediaRooms, l.decision.Media) })
	g.mu.Unlock()
	for _, l := range found {
		go l.end(websocket.CloseGoingAway, "restarting")
	}
	return len(found)
}

func (g *Gate) find(which func(*relay) bool) []*relay {
	var found []*relay
	for l := range g.relays {
		if which(l) {
			found = append(found, l)
		}
	}
	return found
}

// Shutdown refuses new connections and tells every device that this end is
// going away, after which devices reconnect by themselves. It waits for the
// connections to end, and breaks off the remaining ones when ctx is done.
func (g *Gate) Shutdown(ctx context.Context) error {
	g.mu.Lock()
	g.closing = true
	all := g.find(func(*relay) bool { return true })
	g.mu.Unlock()
	done := make(chan struct{})
	go func() {
		for _, l := range all {
			go l.end(websocket.CloseGoingAway, "restarting")
		}
		g.ended.Wait()
		close(done)
	}()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		for _, l := range all {
			l.close()
		}
		return fmt.Errorf("close the gate: %w", context.Cause(ctx))
	}
}
