// Package db is the database: SQLite in a file, or PostgreSQL.
//
// Both get the same SQL. The rules that make this possible: parameters are $1,
// $2 ...; times are BIGINT milliseconds since 1970; ids are TEXT; structured
// values are JSON in TEXT; booleans are BOOLEAN. Every query is written once,
// in the feature that it belongs to, and runs in tests on both engines.
//
//	err := d.Write(ctx, func(tx *db.Tx) error {
//		_, err := tx.Exec(ctx, `UPDATE room SET locked = $1 WHERE id = $2`, true, roomID)
//		return err
//	})
//
// Write makes serializable transactions on both engines: SQLite has one writer;
// PostgreSQL runs SERIALIZABLE, and Write repeats the function when PostgreSQL
// asks for it. So the function must not change anything outside of the
// transaction; Tx.AfterCommit is for what follows a commit.
//
// Now is the time for everything that the database remembers. On PostgreSQL it is
// the time of the database's machine, so that all nodes go by one clock.
//
// After Write returns nil, the change survives a kill -9 and a power cut. After
// an error nothing was changed, except possibly for ErrOutcomeUnknown.
package db
