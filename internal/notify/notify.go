// Package notify wakes the parts of the service that wait for a change.
//
// A topic is a word such as "room/0192...". The code that makes a change calls
// Hub.Notify in the transaction. Once that is committed, all subscribers of the
// topic are woken, on every node. A wake-up carries no data: its receiver reads
// the database. So a lost or repeated wake-up only makes work late or useless,
// never wrong.
//
// On SQLite there is one node, and the hub works within the process. On
// PostgreSQL it uses LISTEN and NOTIFY. Whenever it has to reconnect, it wakes
// all subscribers, because it may have missed something.
package notify

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/conclave-rooms/conclave/internal/db"
)

// channel is the one PostgreSQL channel; the topic is the payload.
const channel = "conclave_notify"

// Hub passes wake-ups to subscribers.
type Hub struct {
	url string // PostgreSQL; empty: this process only
	log *slog.Logger

	mu   sync.Mutex
	subs map[string]map[chan struct{}]struct{}
}

// New makes the hub of a database.
func New(d *db.DB, log *slog.Logger) *Hub {
	return &Hub{url: d.URL(), log: log, subs: map[string]map[chan struct{}]struct{}{}}
}

// Subscribe returns a channel that holds at most one wake-up, and a function
// that ends the subscription.
func (h *Hub) Subscribe(topic string) (wake <-chan struct{}, cancel func()) {
	ch := make(chan struct{}, 1)
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.subs[topic] == nil {
		h.subs[topic] = map[chan struct{}]struct{}{}
	}
	h.subs[topic][ch] = struct{}{}
	return ch, func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		delete(h.subs[topic], ch)
		if len(h.subs[topic]) == 0 {
			delete(h.subs, topic)
		}
	}
}

// Notify wakes the topic's subscribers once the transaction is committed.
func (h *Hub) Notify(ctx context.Context, tx *db.Tx, topic string) error {
	if h.url == "" {
		tx.AfterCommit(func() { h.wake(topic) })
		return nil
	}
	if _, err := tx.Exec(ctx, `SELECT pg_notify($1, $2)`, channel, topic); err != nil {
		return fmt.Errorf("notify %s: %w", topic, err)
	}
	return nil
}

func (h *Hub) wake(topic string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for ch := range h.subs[topic] {
		poke(ch)
	}
}

func (h *Hub) wakeAll() {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, subs := range h.subs {
		for ch := range subs {
			poke(ch)
		}
	}
}

func poke(ch chan struct{}) {
	select {
	case ch <- struct{}{}:
	default: // a wake-up is already there
	}
}

// Run listens to the other nodes until ctx ends. On SQLite it does nothing.
func (h *Hub) Run(ctx context.Context) {
	if h.url == "" {
		<-ctx.Done()
		return
	}
	for ctx.Err() == nil {
		if err := h.listen(ctx); err != nil && ctx.Err() == nil {
			h.log.WarnContext(ctx, "lost the connection that listens to other nodes; connecting again", "error", err)
			select {
			case <-ctx.Done():
			case <-time.After(500 * time.Millisecond):
			}
		}
	}
}

func (h *Hub) listen(ctx context.Context) error {
	conn, err := pgx.Connect(ctx, h.url)
	if err != nil {
		return fmt.Errorf("connect: %w", err)
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	if _, err := conn.Exec(ctx, "LISTEN "+channel); err != nil {
		return fmt.Errorf("listen: %w", err)
	}
	h.wakeAll()
	for {
		n, err := conn.WaitForNotification(ctx)
		if err != nil {
			return fmt.Errorf("wait: %w", err)
		}
		h.wake(n.Payload)
	}
}
