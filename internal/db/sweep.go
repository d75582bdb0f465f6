package db

import "context"

// someAtOnce is how many rows one transaction of a sweep deletes, so that other
// writers do not wait long.
const someAtOnce = 200

// Sweep deletes rows that are no longer needed, in small transactions: find
// returns up to many keys of rows without locking anything, and remove deletes
// these rows, until none are left.
func Sweep[K any](ctx context.Context, d *DB, find func(tx *Tx, many int) ([]K, error), remove func(tx *Tx, keys []K) error) error {
	for {
		var keys []K
		err := d.Read(ctx, func(tx *Tx) (err error) {
			keys, err = find(tx, someAtOnce)
			return err
		})
		if err != nil || len(keys) == 0 {
			return err
		}
		if err := d.WriteLoosely(ctx, func(tx *Tx) error { return remove(tx, keys) }); err != nil {
			return err
		}
		if len(keys) < someAtOnce {
			return nil
		}
	}
}

// IDs reads the ids that a query finds.
func IDs(ctx context.Context, tx *Tx, query string, args ...any) ([]string, error) {
	return Query(ctx, tx, func(row Scanner) (id string, err error) { return id, row.Scan(&id) }, query, args...)
}

// Delete deletes the rows in which a column has one of these values.
func Delete(ctx context.Context, tx *Tx, table, column string, values []string) error {
	args := make([]any, len(values))
	for i, v := range values {
		args[i] = v
	}
	_, err := tx.Exec(ctx, `DELETE FROM `+table+` WHERE `+column+` IN (`+In(1, len(values))+`)`, args...)
	return err
}
