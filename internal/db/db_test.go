package db_test

import (
	"context"
	"errors"
	"sync"
	"testing"

	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/db/dbtest"
)

func count(t *testing.T, d *db.DB) (n int) {
	t.Helper()
	err := d.Read(t.Context(), func(tx *db.Tx) error {
		return tx.QueryRow(t.Context(), `SELECT count(*) FROM account`).Scan(&n)
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func insert(ctx context.Context, tx *db.Tx, email string) error {
	_, err := tx.Exec(ctx, `INSERT INTO account (id, email, name, created_at) VALUES ($1, $1, '', 0)`, email)
	return err
}

func TestWriteCommitsOrLeavesNothing(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		told := 0
		refused := errors.New("refused")
		err := d.Write(t.Context(), func(tx *db.Tx) error {
			tx.AfterCommit(func() { told++ })
			if err := insert(t.Context(), tx, "a"); err != nil {
				return err
			}
			return refused
		})
		if !errors.Is(err, refused) || count(t, d) != 0 || told != 0 {
			t.Fatalf("after a refusal: err %v, %d rows, told %d times; want the refusal and nothing else", err, count(t, d), told)
		}
		err = d.Write(t.Context(), func(tx *db.Tx) error {
			tx.AfterCommit(func() { told++ })
			return insert(t.Context(), tx, "a")
		})
		if err != nil || count(t, d) != 1 || told != 1 {
			t.Fatalf("after a commit: err %v, %d rows, told %d times; want nil, 1, 1", err, count(t, d), told)
		}
	})
}

// When two transactions read a value and write what follows from it, only one of
// them may have read the old value. So writes are serializable, or there is only
// one writer.
func TestWritesAreSerial(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		ctx := t.Context()
		if err := d.Write(ctx, func(tx *db.Tx) error { return insert(ctx, tx, "n") }); err != nil {
			t.Fatal(err)
		}
		// More than can run at once, so that on PostgreSQL each loses several
		// times and none for good.
		const workers, rounds = 32, 10
		var all sync.WaitGroup
		for range workers {
			all.Go(func() {
				for range rounds {
					err := d.Write(ctx, func(tx *db.Tx) error {
						var n int64
						if err := tx.QueryRow(ctx, `SELECT created_at FROM account WHERE id = 'n'`).Scan(&n); err != nil {
							return err
						}
						_, err := tx.Exec(ctx, `UPDATE account SET created_at = $1 WHERE id = 'n'`, n+1)
						return err
					})
					if err != nil {
						t.Errorf("increment: %v", err)
					}
				}
			})
		}
		all.Wait()
		var n int64
		_ = d.Read(ctx, func(tx *db.Tx) error {
			return tx.QueryRow(ctx, `SELECT created_at FROM account WHERE id = 'n'`).Scan(&n)
		})
		if n != workers*rounds {
			t.Errorf("%d increments are left of %d", n, workers*rounds)
		}
	})
}

func TestUniqueViolationIsRecognised(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		ctx := t.Context()
		for i, want := range []bool{false, true} {
			err := d.Write(ctx, func(tx *db.Tx) error { return insert(ctx, tx, "same") })
			if db.IsUniqueViolation(err) != want {
				t.Errorf("insert %d: %v, unique violation %v, want %v", i, err, !want, want)
			}
		}
	})
}

func TestReopeningKeepsEverything(t *testing.T) {
	t.Parallel()
	for _, engine := range []db.Engine{db.SQLite, db.PostgreSQL} {
		t.Run(string(engine), func(t *testing.T) {
			t.Parallel()
			c := dbtest.Empty(t, engine)
			first := dbtest.Open(t, c)
			if err := first.Write(t.Context(), func(tx *db.Tx) error { return insert(t.Context(), tx, "kept") }); err != nil {
				t.Fatal(err)
			}
			first.Close()
			if n := count(t, dbtest.Open(t, c)); n != 1 {
				t.Errorf("%d rows after reopening, want 1", n)
			}
		})
	}
}

// Large changes need no directory for temporary files, which a container may lack.
func TestSQLiteKeepsTemporaryDataInMemory(t *testing.T) {
	t.Parallel()
	d := dbtest.Open(t, dbtest.Config(t, db.SQLite))
	var kept int
	read := func(tx *db.Tx) error { return tx.QueryRow(t.Context(), `PRAGMA temp_store`).Scan(&kept) }
	for name, run := range map[string]func(context.Context, func(*db.Tx) error) error{"read": d.Read, "write": d.Write} {
		if err := run(t.Context(), read); err != nil || kept != 2 { // 2 is memory (https://sqlite.org/pragma.html#pragma_temp_store)
			t.Errorf("%s: temp_store is %d, %v", name, kept, err)
		}
	}
}
