package node

import (
	"context"
	"fmt"
	"time"

	"github.com/conclave-rooms/conclave/internal/db"
)

// save writes a node's row for the first time, in the place of an earlier process of
// the same name.
func save(ctx context.Context, tx *db.Tx, n Node, now time.Time) error {
	_, err := tx.Exec(ctx, `INSERT INTO node (name, run, version, listen, media, media_cluster, connections, people, draining, stopping, media_ready, comparing, clock, started_at, seen_at)
		VALUES ($1, $2, $3, $4, $5, $6, 0, 0, FALSE, FALSE, $7, $8, $9, $10, $11)
		ON CONFLICT (name) DO UPDATE SET run = excluded.run, version = excluded.version, listen = excluded.listen, media = excluded.media, media_cluster = excluded.media_cluster, connections = 0, people = 0,
			draining = FALSE, stopping = FALSE, media_ready = excluded.media_ready, comparing = excluded.comparing, clock = excluded.clock, started_at = excluded.started_at, seen_at = excluded.seen_at`,
		n.Name, n.run, n.Version, n.Listen, n.Media, n.Cluster, n.mediaReady, n.comparing, n.clock, n.StartedAt.UnixMilli(), now.UnixMilli())
	if err != nil {
		return fmt.Errorf("add this node to the list: %w", err)
	}
	return nil
}

// renew renews a node's row, unless another process has it by now.
func renew(ctx context.Context, tx *db.Tx, n Node, now time.Time) error {
	_, err := tx.Exec(ctx, `UPDATE node SET connections = $3, people = $4, stopping = $5, media_cluster = $6, media_ready = $7, comparing = $8, clock = $9, seen_at = $10 WHERE name = $1 AND run = $2`,
		n.Name, n.run, n.Connections, n.People, n.stopping, n.Cluster, n.mediaReady, n.comparing, n.clock, now.UnixMilli())
	if err != nil {
		return fmt.Errorf("renew this node in the list: %w", err)
	}
	return nil
}

func setMediaReady(ctx context.Context, tx *db.Tx, name, run string, ready bool) error {
	if _, err := tx.Exec(ctx, `UPDATE node SET media_ready = $3 WHERE name = $1 AND run = $2`, name, run, ready); err != nil {
		return fmt.Errorf("say whether the media server answers: %w", err)
	}
	return nil
}

func setDraining(ctx context.Context, tx *db.Tx, name string, draining bool) error {
	if _, err := tx.Exec(ctx, `UPDATE node SET draining = $2 WHERE name = $1`, name, draining); err != nil {
		return fmt.Errorf("mark the node: %w", err)
	}
	return nil
}

func remove(ctx context.Context, tx *db.Tx, name, run string) error {
	if _, err := tx.Exec(ctx, `DELETE FROM node WHERE name = $1 AND run = $2`, name, run); err != nil {
		return fmt.Errorf("take this node off the list: %w", err)
	}
	return nil
}

// forget removes nodes that were last seen before a moment.
func forget(ctx context.Context, tx *db.Tx, before time.Time) error {
	if _, err := tx.Exec(ctx, `DELETE FROM node WHERE seen_at < $1`, before.UnixMilli()); err != nil {
		return fmt.Errorf("forget nodes: %w", err)
	}
	return nil
}

const columns = `name, run, version, listen, media, media_cluster, connections, people, draining, stopping, media_ready, comparing, clock, started_at, seen_at`

func scan(row db.Scanner) (n Node, err error) {
	var started, seen int64
	err = row.Scan(&n.Name, &n.run, &n.Version, &n.Listen, &n.Media, &n.Cluster, &n.Connections, &n.People, &n.draining, &n.stopping, &n.mediaReady, &n.comparing, &n.clock, &started, &seen)
	n.StartedAt, n.SeenAt = db.At(started), db.At(seen)
	return n, err //nolint:wrapcheck // the caller adds what was read
}

func all(ctx context.Context, tx *db.Tx) ([]Node, error) {
	nodes, err := db.Query(ctx, tx, scan, `SELECT `+columns+` FROM node ORDER BY name`)
	if err != nil {
		return nil, fmt.Errorf("list the nodes: %w", err)
	}
	return nodes, nil
}

func named(ctx context.Context, tx *db.Tx, name string) (Node, error) {
	n, err := scan(tx.QueryRow(ctx, `SELECT `+columns+` FROM node WHERE name = $1`, name))
	if err != nil {
		return Node{}, fmt.Errorf("read the node %s: %w", name, err)
	}
	return n, nil
}
