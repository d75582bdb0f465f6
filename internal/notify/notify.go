package notify

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/conclave-rooms/conclave/internal/db"
)

// channel is the one PostgreSQL channel; the topic is the payload.
const channel = "conclave_notify"

// quietFor is how long nothing may come from PostgreSQL before it is asked
// whether it is still there, and answerWithin how long it has to answer. Both
// together are how long a cut connection may go unnoticed.
const (
	quietFor     = 10 * time.Second
	answerWithin = 5 * time.Second
)

// Hub passes wake-ups to subscribers.
type Hub struct {
	url   string // PostgreSQL; empty: this process only
	log   *slog.Logger
	quiet time.Duration // quietFor, or shorter in tests

	// OnReconnect is called whenever the hub has connected to PostgreSQL, before it
	// wakes all subscribers. Set it before Run; nil: nothing is called. It is for
	// values kept in memory with the revision at which they were read: the database
	// may be a standby that has lost the last commits, and count the same
	// revisions again for other changes.
	OnReconnect func()

	mu     sync.Mutex
	subs   map[string]map[chan struct{}]struct{}
	untold map[string]struct{} // topics that the other nodes have not heard of yet
	any    chan struct{}       // holds a wake-up while there are some
	sender uint32              // PostgreSQL's number of the connection that tells them
}

// New makes the hub of a database.
func New(d *db.DB, log *slog.Logger) *Hub {
	return &Hub{
		url: d.URL(), log: log, quiet: quietFor, subs: map[string]map[chan struct{}]struct{}{}, untold: map[string]struct{}{}, any: make(chan struct{}, 1),
	}
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
//
// Run tells the other nodes after the commit: a transaction that itself
// notifies holds a lock of the whole database while it commits, so that no two of
// them commit at the same time.
func (h *Hub) Notify(tx *db.Tx, topic string) {
	tx.AfterCommit(func() {
		h.wake(topic)
		h.tell(topic)
	})
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

// Run listens to the other nodes, and tells them what changed here, until ctx
// ends. On SQLite it does nothing.
func (h *Hub) Run(ctx context.Context) {
	if h.url == "" {
		<-ctx.Done()
		return
	}
	var telling sync.WaitGroup
	telling.Go(func() { h.keep(ctx, "tells", h.send) })
	h.keep(ctx, "listens to", h.listen)
	telling.Wait()
	h.flushLast(ctx)
}

// keep works with a connection, and again with another one when it was lost.
func (h *Hub) keep(ctx context.Context, does string, work func(context.Context) error) {
	for ctx.Err() == nil {
		if err := work(ctx); err != nil && ctx.Err() == nil {
			h.log.WarnContext(ctx, "lost the connection to other nodes; connecting again", "connection", does, "error", err)
			select {
			case <-ctx.Done():
			case <-time.After(500 * time.Millisecond):
			}
		}
	}
}

func (h *Hub) listen(ctx context.Context) error {
	conn, err := h.connect(ctx)
	if err != nil {
		return err
	}
	defer hangUp(ctx, conn)
	if err := beginToListen(ctx, conn); err != nil {
		return err
	}
	// The connection that tells the others may be lost like the one before this, and
	// another node may have its number. Until it is asked, all wake-ups count as others':
	// to be woken twice does no harm.
	h.setSender(0)
	if h.OnReconnect != nil {
		h.OnReconnect()
	}
	h.wakeAll()
	for {
		n, err := h.next(ctx, conn)
		if err != nil {
			return err
		}
		if n != nil && !h.isSender(n.PID) { // subscribers here were woken at the commit
			h.wake(n.Payload)
		}
	}
}

func beginToListen(ctx context.Context, conn *pgx.Conn) error {
	ctx, end := context.WithTimeout(ctx, answerWithin)
	defer end()
	if _, err := conn.Exec(ctx, "LISTEN "+channel); err != nil {
		return fmt.Errorf("listen: %w", err)
	}
	return nil
}

// next waits for a notification. When none comes for a while it asks whether
// PostgreSQL is still there, and returns nil if it is: a connection that was cut
// on the way looks like one on which nothing happens.
func (h *Hub) next(ctx context.Context, conn *pgx.Conn) (*pgconn.Notification, error) {
	quiet, end := context.WithTimeout(ctx, h.quiet)
	defer end()
	n, err := conn.WaitForNotification(quiet)
	if err == nil {
		return n, nil
	}
	if ctx.Err() != nil || quiet.Err() == nil || conn.IsClosed() {
		return nil, fmt.Errorf("wait: %w", err)
	}
	return nil, h.ping(ctx, conn)
}

// ping asks PostgreSQL after a quiet while whether it is still there.
func (h *Hub) ping(ctx context.Context, conn *pgx.Conn) error {
	ctx, end := context.WithTimeout(ctx, answerWithin)
	defer end()
	if err := conn.Ping(ctx); err != nil {
		return fmt.Errorf("nothing happened for %s, and PostgreSQL does not answer: %w", h.quiet, err)
	}
	return nil
}

// connect opens a connection to PostgreSQL.
func (h *Hub) connect(ctx context.Context) (*pgx.Conn, error) {
	ctx, end := context.WithTimeout(ctx, answerWithin)
	defer end()
	conn, err := pgx.Connect(ctx, h.url)
	if err != nil {
		return nil, fmt.Errorf("connect: %w", err)
	}
	return conn, nil
}

// hangUp closes a connection, even if the other side does not answer.
func hangUp(ctx context.Context, conn *pgx.Conn) {
	ctx, end := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer end()
	_ = conn.Close(ctx)
}
