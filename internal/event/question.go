package event

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/db"
)

// question is a query for a list of events. It names only the conditions that
// were asked for, because a condition that also holds when nothing
// was asked for, such as "$1 IS NULL OR type = $1", keeps a database from using an
// index: it would read all events to find the few of a rare type.
type question struct {
	text strings.Builder
	args []any
}

// where adds a condition that ends with a parameter.
func (q *question) where(condition string, value any) {
	q.and()
	q.text.WriteString(condition + q.parameter(value))
}

// ofType adds the condition that events are of one type. Types that are sent stand in the
// text. PostgreSQL keeps one plan for each text, and with the type as a parameter it plans
// every query anew, because types differ in how many events they have.
func (q *question) ofType(kind api.EventType) {
	if !slices.Contains(api.EventTypes(), kind) {
		q.where("type = ", string(kind))
		return
	}
	q.and()
	q.text.WriteString("type = '" + string(kind) + "'")
}

// after and before add the condition that events are on one side of another
// event.
func (q *question) after(at int64, id string)  { q.beyond(">", at, id) }
func (q *question) before(at int64, id string) { q.beyond("<", at, id) }

func (q *question) beyond(side string, at int64, id string) {
	q.and()
	// The casts tell PostgreSQL the types of a row's parameters.
	fmt.Fprintf(&q.text, "(created_at, id) %s (CAST(%s AS BIGINT), CAST(%s AS TEXT))", side, q.parameter(at), q.parameter(id))
}

func (q *question) and() {
	if q.text.Len() > 0 {
		q.text.WriteString(" AND ")
	}
}

func (q *question) parameter(value any) string {
	q.args = append(q.args, value)
	return fmt.Sprintf("$%d", len(q.args))
}

// list reads the events.
func (q *question) list(ctx context.Context, tx *db.Tx, order string, limit int) ([]Event, error) {
	query := `SELECT id, workspace_id, type, created_at, data FROM event WHERE ` + q.text.String() + ` ORDER BY ` + order + ` LIMIT ` + q.parameter(limit)
	events, err := db.Query(ctx, tx, scan, query, q.args...)
	if err != nil {
		return nil, fmt.Errorf("list events: %w", err)
	}
	return events, nil
}
