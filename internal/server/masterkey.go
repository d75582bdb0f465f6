package server

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"

	"github.com/conclave-rooms/conclave/internal/config"
	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/seal"
)

// The mark is a word that every start seals and stores in the database. It
// shows which master key sealed everything else there.
const (
	mark        = "conclave"
	markBinding = "published/master_key"
)

// OpenSealer finds the master key: in the configuration, or in the data
// directory, where the first start makes one. It refuses a key that does not
// open what the database holds, and makes none when the database holds anything
// sealed: a node that went on with another key would break rooms and webhooks
// one by one, as each of their secrets is needed.
func OpenSealer(ctx context.Context, d *db.DB, c config.Data) (*seal.Sealer, error) {
	var sealed []string
	err := d.Read(ctx, func(tx *db.Tx) (err error) {
		sealed, err = samples(ctx, tx)
		return err
	})
	if err != nil {
		return nil, err
	}
	sealer, where, err := masterKeys(c, len(sealed) == 0)
	if err != nil {
		return nil, err
	}
	if err := d.Write(ctx, func(tx *db.Tx) error { return leaveMark(ctx, tx, sealer, where) }); err != nil {
		return nil, err
	}
	return sealer, nil
}

// masterKeys reads the master keys, and says where they come from. It makes the
// file only if mayMake is set.
func masterKeys(c config.Data, mayMake bool) (s *seal.Sealer, where string, err error) {
	if c.MasterKey != "" {
		if s, err = seal.Parse(c.MasterKey); err != nil {
			return nil, "", fmt.Errorf("read --master-key: %w", err)
		}
		return s, "--master-key", nil
	}
	file := filepath.Join(c.Data, "master.key")
	if mayMake {
		s, err = seal.FromFile(file)
		return s, file, err
	}
	s, err = seal.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("the secrets in this database are sealed with a master key, and %s is missing: "+
			"put the one of the first node or of the backup there, or set the key with --master-key", file)
	}
	return s, file, err
}

// leaveMark checks that the master keys open what the database holds, and then
// seals the mark with the first of them.
func leaveMark(ctx context.Context, tx *db.Tx, sealer *seal.Sealer, where string) error {
	sealed, err := samples(ctx, tx)
	if err != nil {
		return err
	}
	if len(sealed) > 0 && !slices.ContainsFunc(sealed, sealer.Knows) {
		return fmt.Errorf("the secrets in this database are sealed with another master key than %s: "+
			"set the one of the first node or of the backup; during a rotation, both", where)
	}
	value, err := sealer.Seal([]byte(mark), markBinding)
	if err != nil {
		return err
	}
	_, err = tx.Exec(ctx, `INSERT INTO published (name, value) VALUES ('master_key', $1)
		ON CONFLICT (name) DO UPDATE SET value = excluded.value`, value)
	if err != nil {
		return fmt.Errorf("keep the mark of the master key: %w", err)
	}
	return nil
}

// samples are sealed values that identify the master keys: the mark or, if no
// start has left one yet, secrets of an older version of the service, one for
// each key that sealed them.
func samples(ctx context.Context, tx *db.Tx) ([]string, error) {
	text := func(s db.Scanner) (v string, err error) { return v, s.Scan(&v) }
	sealed, err := db.Query(ctx, tx, text, `SELECT value FROM published WHERE name = 'master_key'`)
	if err == nil && len(sealed) == 0 {
		sealed, err = db.Query(ctx, tx, text, `
			SELECT MAX(v) FROM (SELECT passphrase AS v FROM live_room UNION ALL SELECT secret FROM webhook_endpoint) sealed
			WHERE v <> '' GROUP BY SUBSTR(v, 1, 11)`) // rooms where nobody met have no passphrase; these characters name the key
	}
	if err != nil {
		return nil, fmt.Errorf("look what the database has sealed: %w", err)
	}
	return sealed, nil
}
