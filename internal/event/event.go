package event

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/fault"
	"github.com/conclave-rooms/conclave/internal/id"
)

// Log appends events to their table and reads them.
type Log struct {
	Now func() time.Time
	// OnAppend is called with every event, in its transaction. It is where
	// delivery is promised. It may be nil.
	OnAppend func(ctx context.Context, tx *db.Tx, e Event) error

	mu   sync.Mutex
	last int64 // the millisecond of the latest id
	n    int   // how many ids have had that millisecond
}

// Event is one row of the log.
type Event struct {
	ID          string
	WorkspaceID string
	Type        api.EventType
	CreatedAt   time.Time
	Data        json.RawMessage
}

// Append writes an event of a workspace. data is one of the api.*Event
// structs.
func (l *Log) Append(ctx context.Context, tx *db.Tx, workspaceID string, kind api.EventType, data any) error {
	e, err := l.Write(ctx, tx, workspaceID, kind, data)
	if err != nil || l.OnAppend == nil {
		return err
	}
	return l.OnAppend(ctx, tx, e)
}

// Write writes an event without calling OnAppend.
func (l *Log) Write(ctx context.Context, tx *db.Tx, workspaceID string, kind api.EventType, data any) (Event, error) {
	text, err := json.Marshal(data)
	if err != nil {
		return Event{}, fmt.Errorf("write the data of %s: %w", kind, err)
	}
	e := Event{WorkspaceID: workspaceID, Type: kind, Data: text}
	e.ID, e.CreatedAt = l.next()
	_, err = tx.Exec(ctx, `INSERT INTO event (id, workspace_id, type, created_at, data) VALUES ($1, $2, $3, $4, $5)`,
		e.ID, e.WorkspaceID, string(e.Type), e.CreatedAt.UnixMilli(), string(e.Data))
	if err != nil {
		return Event{}, fmt.Errorf("append %s to the event log: %w", kind, err)
	}
	return e, nil
}

const crockford = "0123456789abcdefghjkmnpqrstvwxyz"

// next makes the id and the time of an event: "evt_" and 26 characters, ten for
// the time, three that count within the millisecond, thirteen random. So events
// sort in the order in which they were written, even within one transaction,
// where they share a millisecond. The clock is read under the lock; otherwise a
// delayed writer would begin again to count within a past millisecond.
func (l *Log) next() (string, time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := api.At(l.Now()).Time
	ms := now.UnixMilli()
	if ms == l.last {
		l.n++
	} else {
		l.last, l.n = ms, 0
	}
	return "evt_" + digits(ms, 10) + digits(int64(l.n), 3) + id.Random(13, crockford), now
}

// digits writes the n last digits of v in base 32.
func digits(v int64, n int) string {
	out := make([]byte, n)
	for i := n - 1; i >= 0; i-- {
		out[i] = crockford[v&31]
		v >>= 5
	}
	return string(out)
}

// Filter narrows a list of events. The zero value selects all events of all
// workspaces.
type Filter struct {
	WorkspaceID string
	Type        api.EventType
	After       Event // only events after this one, by time and id
	Limit       int   // 0: a thousand
}

// List reads events, oldest first.
func (l *Log) List(ctx context.Context, tx *db.Tx, f Filter) ([]Event, error) {
	limit := f.Limit
	if limit == 0 {
		limit = 1000
	}
	after := int64(0)
	if !f.After.CreatedAt.IsZero() {
		after = f.After.CreatedAt.UnixMilli()
	}
	var q question
	q.after(after, f.After.ID)
	if f.WorkspaceID != "" {
		q.where("workspace_id = ", f.WorkspaceID)
	}
	if f.Type != "" {
		q.ofType(f.Type)
	}
	return q.list(ctx, tx, "created_at, id", limit)
}

// Recent reads a page of a workspace's events, newest first: only one type
// unless kind is "", only those since a time, and only those before another
// event unless that is nil.
func (l *Log) Recent(ctx context.Context, tx *db.Tx, workspaceID string, kind api.EventType, since time.Time, before *Event, limit int) ([]Event, error) {
	var q question
	q.where("workspace_id = ", workspaceID)
	if kind != "" {
		q.ofType(kind)
	}
	q.where("created_at >= ", since.UnixMilli())
	if before != nil {
		q.before(before.CreatedAt.UnixMilli(), before.ID)
	}
	return q.list(ctx, tx, "created_at DESC, id DESC", limit)
}

func scan(row db.Scanner) (Event, error) {
	var (
		e        Event
		kind, js string
		at       int64
	)
	if err := row.Scan(&e.ID, &e.WorkspaceID, &kind, &at, &js); err != nil {
		return Event{}, err //nolint:wrapcheck // the callers wrap
	}
	e.Type, e.CreatedAt, e.Data = api.EventType(kind), db.At(at), json.RawMessage(js)
	return e, nil
}

// isID says whether a text has the form of an id. Other texts are not passed to
// the database: PostgreSQL fails on a text with a zero byte.
func isID(text string) bool {
	rest, ok := strings.CutPrefix(text, "evt_")
	return ok && len(rest) == 26 && strings.Trim(rest, crockford) == ""
}

// Find reads one event by its id; it refuses an unknown one.
func (l *Log) Find(ctx context.Context, tx *db.Tx, eventID string) (Event, error) {
	if !isID(eventID) {
		return Event{}, missing()
	}
	e, err := scan(tx.QueryRow(ctx, `SELECT id, workspace_id, type, created_at, data FROM event WHERE id = $1`, eventID))
	if errors.Is(err, db.ErrNoRows) {
		return Event{}, missing()
	}
	if err != nil {
		return Event{}, fmt.Errorf("read an event: %w", err)
	}
	return e, nil
}

func missing() error { return fault.MissingParam("event", "There is no event with this id.") }

// TimeOf is when the event with this id was written, which the id contains;
// zero for an invalid id. It also works for deleted events.
func TimeOf(eventID string) time.Time {
	if !isID(eventID) {
		return time.Time{}
	}
	ms := int64(0)
	for _, c := range eventID[len("evt_"):][:10] {
		ms = ms<<5 | int64(strings.IndexRune(crockford, c))
	}
	return db.At(ms)
}

// Forget deletes up to many old events, and returns how many it deleted.
func (l *Log) Forget(ctx context.Context, tx *db.Tx, before time.Time, many int) (int64, error) {
	n, err := tx.Exec(ctx, `DELETE FROM event WHERE id IN (SELECT id FROM event WHERE created_at < $1 ORDER BY created_at, id LIMIT $2)`, before.UnixMilli(), many)
	if err != nil {
		return 0, fmt.Errorf("delete old events: %w", err)
	}
	return n, nil
}
