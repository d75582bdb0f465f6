package notify

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
)

const (
	// gatherFor is how long the hub gathers topics before it tells the other nodes,
	// so that a thousand commits a second need a few hundred notifications.
	gatherFor = 3 * time.Millisecond
	// lastSend bounds each try to send the last notification when the service stops.
	lastSend = time.Second
)

// tell promises to tell the other nodes of a topic.
func (h *Hub) tell(topics ...string) {
	if h.url == "" || len(topics) == 0 {
		return
	}
	h.mu.Lock()
	for _, topic := range topics {
		h.untold[topic] = struct{}{}
	}
	h.mu.Unlock()
	poke(h.any)
}

// take returns the topics that the other nodes have not heard of yet.
func (h *Hub) take() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	topics := slices.Collect(maps.Keys(h.untold))
	clear(h.untold)
	return topics
}

func (h *Hub) isSender(pid uint32) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return pid == h.sender
}

// setSender notes PostgreSQL's number of the connection that tells the other nodes; zero:
// there may be none. After a restart PostgreSQL gives the same numbers to other nodes.
func (h *Hub) setSender(pid uint32) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.sender = pid
}

// send tells the other nodes, on a connection of its own, until ctx ends or the
// connection is lost.
func (h *Hub) send(ctx context.Context) error {
	conn, err := h.connect(ctx)
	if err != nil {
		return err
	}
	defer hangUp(ctx, conn)
	h.setSender(conn.PgConn().PID())
	defer h.setSender(0)
	for {
		select {
		case <-ctx.Done():
			return h.sendLast(ctx, conn)
		case <-time.After(h.quiet):
			if err := h.ping(ctx, conn); err != nil {
				return err
			}
			h.setSender(conn.PgConn().PID()) // listen may have forgotten it
			continue
		case <-h.any:
		}
		select {
		case <-ctx.Done():
			return h.sendLast(ctx, conn)
		case <-time.After(gatherFor):
		}
		if err := h.sendTo(ctx, conn); err != nil {
			return err
		}
		h.setSender(conn.PgConn().PID())
	}
}

// sendLast sends what was gathered before ctx ended.
func (h *Hub) sendLast(ctx context.Context, conn *pgx.Conn) error {
	last, end := context.WithTimeout(context.WithoutCancel(ctx), lastSend)
	defer end()
	return h.sendTo(last, conn)
}

// flushLast sends what could not be sent before ctx ended: the connection was lost or just
// being made, or the statement ended with ctx.
func (h *Hub) flushLast(ctx context.Context) {
	last, end := context.WithTimeout(context.WithoutCancel(ctx), lastSend)
	defer end()
	if err := h.Flush(last); err != nil {
		h.log.WarnContext(ctx, "other nodes were not told of the last changes; they look by themselves", "error", err)
	}
}

// sendTo sends what was gathered in one statement.
func (h *Hub) sendTo(ctx context.Context, conn *pgx.Conn) error {
	topics := h.take()
	if len(topics) == 0 {
		return nil
	}
	ctx, end := context.WithTimeout(ctx, answerWithin)
	defer end()
	if _, err := conn.Exec(ctx, `SELECT pg_notify($1, topic) FROM unnest($2::text[]) AS topic`, channel, topics); err != nil {
		h.tell(topics...) // on the next connection
		return fmt.Errorf("notify: %w", err)
	}
	return nil
}

// Flush tells the other nodes at once, for a process without Run, such as a
// command.
func (h *Hub) Flush(ctx context.Context) error {
	if h.url == "" || len(h.any) == 0 {
		return nil
	}
	conn, err := h.connect(ctx)
	if err != nil {
		return fmt.Errorf("tell other nodes: %w", err)
	}
	defer hangUp(ctx, conn)
	return h.sendTo(ctx, conn)
}
