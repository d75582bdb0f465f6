// Package db is the database: SQLite in a file, or PostgreSQL.
//
// Both speak the same SQL text. The rules that make it so: parameters are $1,
// $2 ...; times are BIGINT milliseconds since 1970; ids are TEXT; structured
// values are JSON in TEXT; booleans are BOOLEAN. Every query stands once,
// beside the feature it belongs to, and runs in tests on both engines.
//
//	err := d.Write(ctx, func(tx *db.Tx) error {
//		_, err := tx.Exec(ctx, `UPDATE room SET locked = $1 WHERE id = $2`, true, roomID)
//		return err
//	})
//
// Write gives serial transactions on both engines: SQLite has one writer,
// PostgreSQL runs SERIALIZABLE and Write repeats the function when the engine
// asks for it. So the function must not touch anything outside of the
// transaction; what is to happen afterwards goes through Tx.AfterCommit.
//
// Once Write returned nil, the change survives a kill -9 and a power cut. An
// error means that nothing was changed, but for ErrOutcomeUnknown.
package db
