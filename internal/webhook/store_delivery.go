package webhook

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/event"
	"github.com/conclave-rooms/conclave/internal/fault"
	"github.com/conclave-rooms/conclave/internal/id"
)

const deliveryColumns = `id, endpoint_id, event_id, event_type, status, attempts, step, response_code, error, created_at`

func scanDelivery(row db.Scanner) (Delivery, error) {
	var (
		d       Delivery
		kind    string
		code    db.Null[int]
		failure db.Null[string]
		created int64
	)
	err := row.Scan(&d.ID, &d.EndpointID, &d.EventID, &kind, &d.Status, &d.Attempts, &d.Step, &code, &failure, &created)
	if err != nil {
		return Delivery{}, err //nolint:wrapcheck // the callers say what they looked for
	}
	d.EventType, d.ResponseCode, d.Error, d.CreatedAt = api.EventType(kind), db.Pointer(code), db.Pointer(failure), db.At(created)
	return d, nil
}

func insertDeliveries(ctx context.Context, tx *db.Tx, deliveries []Delivery) error {
	for some := range db.Batches(deliveries, db.MostRows) {
		args := make([]any, 0, 10*len(some))
		for _, d := range some {
			args = append(args, d.ID, d.EndpointID, d.EventID, string(d.EventType), d.Status, d.Attempts, d.Step, d.ResponseCode, d.Error,
				d.CreatedAt.UnixMilli())
		}
		_, err := tx.Exec(ctx, `INSERT INTO webhook_delivery (`+deliveryColumns+`) VALUES `+
			db.Values(1, len(some), "?, ?, ?, ?, ?, ?, ?, ?, ?, ?"), args...)
		if err != nil {
			return fmt.Errorf("store deliveries: %w", err)
		}
	}
	return nil
}

func updateDelivery(ctx context.Context, tx *db.Tx, d Delivery) error {
	_, err := tx.Exec(ctx, `UPDATE webhook_delivery SET status = $1, attempts = $2, step = $3, response_code = $4, error = $5 WHERE id = $6`,
		d.Status, d.Attempts, d.Step, d.ResponseCode, d.Error, d.ID)
	if err != nil {
		return fmt.Errorf("change a delivery: %w", err)
	}
	return nil
}

// deliveryFailed changes a delivery after a failed attempt, unless it has ended.
func deliveryFailed(ctx context.Context, tx *db.Tx, d Delivery) error {
	_, err := tx.Exec(ctx, `UPDATE webhook_delivery SET status = $1, attempts = $2, step = $3, response_code = $4, error = $5
		WHERE id = $6 AND status IN ($7, $8)`,
		d.Status, d.Attempts, d.Step, d.ResponseCode, d.Error, d.ID, statusPending, statusRetrying)
	if err != nil {
		return fmt.Errorf("change a delivery that failed: %w", err)
	}
	return nil
}

// deliveriesSucceeded changes deliveries that have just succeeded.
func deliveriesSucceeded(ctx context.Context, tx *db.Tx, deliveries []Delivery) error {
	for some := range db.Filled(deliveries, db.MostRows) {
		args := []any{statusSucceeded}
		for _, d := range some {
			args = append(args, d.ID, d.Attempts, d.Step, d.ResponseCode)
		}
		_, err := tx.Exec(ctx, `UPDATE webhook_delivery
			SET status = $1, attempts = after.column2, step = after.column3, response_code = after.column4, error = NULL
			FROM (VALUES `+db.Values(2, len(some), "?, CAST(? AS BIGINT), CAST(? AS BIGINT), CAST(? AS BIGINT)")+`) AS after
			WHERE webhook_delivery.id = after.column1`, args...)
		if err != nil {
			return fmt.Errorf("change deliveries: %w", err)
		}
	}
	return nil
}

// failDeliveries ends deliveries that will not be attempted any more. They keep the status
// of the last answer.
func failDeliveries(ctx context.Context, tx *db.Tx, ids []string, reason string) error {
	const many = 200 // parameters in one statement
	for some := range slices.Chunk(ids, many) {
		args := []any{statusFailed, reason}
		for _, deliveryID := range some {
			args = append(args, deliveryID)
		}
		_, err := tx.Exec(ctx, `UPDATE webhook_delivery SET status = $1, error = $2 WHERE id IN (`+db.In(3, len(some))+`)`, args...)
		if err != nil {
			return fmt.Errorf("end deliveries: %w", err)
		}
	}
	return nil
}

// findDelivery reads a delivery to an endpoint.
func findDelivery(ctx context.Context, tx *db.Tx, endpointID, deliveryID string) (Delivery, error) {
	if !id.Valid(deliveryID) {
		return Delivery{}, fault.Missing()
	}
	d, err := scanDelivery(tx.QueryRow(ctx, `SELECT `+deliveryColumns+` FROM webhook_delivery WHERE id = $1 AND endpoint_id = $2`, deliveryID, endpointID))
	if errors.Is(err, db.ErrNoRows) {
		return Delivery{}, fault.Missing()
	}
	if err != nil {
		return Delivery{}, fmt.Errorf("read a delivery: %w", err)
	}
	return d, nil
}

// deliveryOf reads the delivery of an event to an endpoint; false when there is
// none.
func deliveryOf(ctx context.Context, tx *db.Tx, endpointID, eventID string) (Delivery, bool, error) {
	d, err := scanDelivery(tx.QueryRow(ctx, `SELECT `+deliveryColumns+` FROM webhook_delivery WHERE endpoint_id = $1 AND event_id = $2`, endpointID, eventID))
	if errors.Is(err, db.ErrNoRows) {
		return Delivery{}, false, nil
	}
	if err != nil {
		return Delivery{}, false, fmt.Errorf("read a delivery: %w", err)
	}
	return d, true, nil
}

// deliveriesOf returns the deliveries of events to an endpoint, by the events' ids.
func deliveriesOf(ctx context.Context, tx *db.Tx, endpointID string, events []event.Event) (map[string]Delivery, error) {
	known := make(map[string]Delivery, len(events))
	for some := range db.Filled(events, db.MostRows) {
		args := []any{endpointID}
		for _, e := range some {
			args = append(args, e.ID)
		}
		found, err := db.Query(ctx, tx, scanDelivery, `SELECT `+deliveryColumns+`
			FROM webhook_delivery WHERE endpoint_id = $1 AND event_id IN (`+db.In(2, len(some))+`)`, args...)
		if err != nil {
			return nil, fmt.Errorf("find deliveries of events: %w", err)
		}
		for _, d := range found {
			known[d.EventID] = d
		}
	}
	return known, nil
}

// listDeliveries reads the newest deliveries to an endpoint.
func listDeliveries(ctx context.Context, tx *db.Tx, endpointID string) ([]Delivery, error) {
	all, err := db.Query(ctx, tx, scanDelivery, `SELECT `+deliveryColumns+` FROM webhook_delivery WHERE endpoint_id = $1
		ORDER BY created_at DESC, id DESC LIMIT $2`, endpointID, mostListed)
	if err != nil {
		return nil, fmt.Errorf("list deliveries: %w", err)
	}
	return all, nil
}

// loadedDelivery is a delivery with everything an attempt needs. An endpoint or
// event that was deleted is nil.
type loadedDelivery struct {
	Delivery
	Endpoint *Endpoint
	Event    *api.EventEnvelope
}

// loadWhole reads deliveries whose endpoints and events exist, with these.
func loadWhole(ctx context.Context, tx *db.Tx, ids []string) (all []loadedDelivery, err error) {
	for some := range db.Filled(ids, db.MostRows) {
		args := make([]any, len(some))
		for i, deliveryID := range some {
			args[i] = deliveryID
		}
		loaded, err := db.Query(ctx, tx, scanWhole, `
			SELECT p.id, p.workspace_id, p.url, p.description, p.events, p.enabled, p.disabled_reason, p.secret, p.previous_secret,
				p.previous_secret_until, p.failing_since, p.created_at,
				d.id, d.event_id, d.event_type, d.status, d.attempts, d.step, d.response_code, d.error, d.created_at, e.created_at, e.data
			FROM webhook_delivery d JOIN webhook_endpoint p ON p.id = d.endpoint_id JOIN event e ON e.id = d.event_id
			WHERE d.id IN (`+db.In(1, len(some))+`)`, args...)
		if err != nil {
			return nil, fmt.Errorf("read deliveries with their endpoints and events: %w", err)
		}
		all = append(all, loaded...)
	}
	return all, nil
}

func scanWhole(row db.Scanner) (p loadedDelivery, err error) {
	var (
		kind, data             string
		code                   db.Null[int]
		failure                db.Null[string]
		created, eventsCreated int64
	)
	to, err := scanEndpoint(row, &p.ID, &p.EventID, &kind, &p.Status, &p.Attempts, &p.Step, &code, &failure, &created, &eventsCreated, &data)
	if err != nil {
		return p, err
	}
	p.EndpointID, p.EventType, p.CreatedAt = to.ID, api.EventType(kind), db.At(created)
	p.ResponseCode, p.Error = db.Pointer(code), db.Pointer(failure)
	p.Endpoint = &to
	p.Event = &api.EventEnvelope{ID: p.EventID, Type: p.EventType, CreatedAt: api.Millis(eventsCreated), Data: []byte(data)}
	return p, nil
}

// loadDelivery reads a delivery, and its endpoint and event if they exist; false
// when there is no such delivery.
func loadDelivery(ctx context.Context, tx *db.Tx, deliveryID string) (p loadedDelivery, found bool, err error) {
	p.Delivery, err = scanDelivery(tx.QueryRow(ctx, `SELECT `+deliveryColumns+` FROM webhook_delivery WHERE id = $1`, deliveryID))
	if errors.Is(err, db.ErrNoRows) {
		return p, false, nil
	}
	if err != nil {
		return p, false, fmt.Errorf("read a delivery: %w", err)
	}
	to, err := scanEndpoint(tx.QueryRow(ctx, `SELECT `+endpointColumns+` FROM webhook_endpoint WHERE id = $1`, p.EndpointID))
	switch {
	case err == nil:
		p.Endpoint = &to
	case !errors.Is(err, db.ErrNoRows):
		return p, false, fmt.Errorf("read the endpoint of a delivery: %w", err)
	}
	var created int64
	var data string
	err = tx.QueryRow(ctx, `SELECT created_at, data FROM event WHERE id = $1`, p.EventID).Scan(&created, &data)
	switch {
	case err == nil:
		p.Event = &api.EventEnvelope{ID: p.EventID, Type: p.EventType, CreatedAt: api.Millis(created), Data: []byte(data)}
	case !errors.Is(err, db.ErrNoRows):
		return p, false, fmt.Errorf("read the event of a delivery: %w", err)
	}
	return p, true, nil
}

func deleteDelivery(ctx context.Context, tx *db.Tx, deliveryID string) error {
	if _, err := tx.Exec(ctx, `DELETE FROM webhook_delivery WHERE id = $1`, deliveryID); err != nil {
		return fmt.Errorf("delete a delivery: %w", err)
	}
	return nil
}

// deleteDeliveries deletes at most limit deliveries to an endpoint and returns how
// many it deleted.
func deleteDeliveries(ctx context.Context, tx *db.Tx, endpointID string, limit int) (int64, error) {
	n, err := tx.Exec(ctx, `DELETE FROM webhook_delivery WHERE id IN (SELECT id FROM webhook_delivery WHERE endpoint_id = $1 LIMIT $2)`, endpointID, limit)
	if err != nil {
		return 0, fmt.Errorf("delete the deliveries of a webhook endpoint: %w", err)
	}
	return n, nil
}

// forgetDeliveries deletes at most limit old deliveries to an endpoint and returns
// how many it deleted.
func forgetDeliveries(ctx context.Context, tx *db.Tx, endpointID string, before time.Time, limit int) (int64, error) {
	n, err := tx.Exec(ctx, `DELETE FROM webhook_delivery WHERE id IN (
		SELECT id FROM webhook_delivery WHERE endpoint_id = $1 AND created_at < $2 ORDER BY created_at, id LIMIT $3)`, endpointID, before.UnixMilli(), limit)
	if err != nil {
		return 0, fmt.Errorf("delete old deliveries: %w", err)
	}
	return n, nil
}

// deliveryTarget is an endpoint that has deliveries. It may no longer exist.
type deliveryTarget struct {
	id              string
	exists, enabled bool
}

// deliveryTargets lists the endpoints that have deliveries. The query jumps from
// one endpoint to the next in the index, so its cost depends on the number of
// endpoints and not on the number of deliveries.
func deliveryTargets(ctx context.Context, tx *db.Tx) ([]deliveryTarget, error) {
	all, err := db.Query(ctx, tx, func(row db.Scanner) (a deliveryTarget, err error) {
		var enabled db.Null[bool]
		err = row.Scan(&a.id, &enabled)
		a.exists, a.enabled = enabled.Valid, enabled.V
		return a, err //nolint:wrapcheck // wrapped below
	}, `
		WITH RECURSIVE found (id) AS (
			SELECT MIN(endpoint_id) FROM webhook_delivery
			UNION ALL
			SELECT (SELECT MIN(d.endpoint_id) FROM webhook_delivery d WHERE d.endpoint_id > found.id) FROM found WHERE found.id IS NOT NULL
		)
		SELECT found.id, e.enabled FROM found LEFT JOIN webhook_endpoint e ON e.id = found.id WHERE found.id IS NOT NULL`)
	if err != nil {
		return nil, fmt.Errorf("list the endpoints of deliveries: %w", err)
	}
	return all, nil
}
