package db_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/db/dbtest"
)

// A statement that failed, or whose rows were not read to the end, can run
// again.
func TestStatementsRunAgain(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		ctx := t.Context()
		add := func(email string) error {
			return d.Write(ctx, func(tx *db.Tx) error { return insert(ctx, tx, email) })
		}
		for _, email := range []string{"a", "b"} {
			if err := add(email); err != nil {
				t.Fatal(err)
			}
			if err := add(email); !db.IsUniqueViolation(err) {
				t.Fatalf("%s again: %v, want a unique violation", email, err)
			}
		}
		ended, end := context.WithCancel(ctx)
		end()
		if err := d.Read(ended, func(tx *db.Tx) error { return tx.QueryRow(ended, emailOf, "a").Scan(new(string)) }); err == nil {
			t.Error("a query of a context that has ended succeeds")
		}
		err := d.Read(ctx, func(tx *db.Tx) error {
			for _, want := range []string{"a", "b", "a"} {
				var got string
				if err := tx.QueryRow(ctx, emailOf, want).Scan(&got); err != nil || got != want {
					t.Errorf("%q of %q: %v", got, want, err)
				}
			}
			_, err := db.Query(ctx, tx, func(s db.Scanner) (string, error) { return "", context.Canceled }, `SELECT email FROM account`)
			if err == nil {
				t.Error("an error while rows are read is lost")
			}
			all, err := db.Query(ctx, tx, func(s db.Scanner) (e string, err error) { return e, s.Scan(&e) }, `SELECT email FROM account`)
			if len(all) != 2 {
				t.Errorf("read %q, want both", all)
			}
			return err
		})
		if err != nil {
			t.Error(err)
		}
	})
}

const emailOf = `SELECT email FROM account WHERE id = $1`

// SQLite can run a query while rows of another one are read, even with the same
// text. (PostgreSQL cannot, so the service must not do it; but it must never
// give a wrong answer.)
func TestAStatementRunsWhileItsRowsAreRead(t *testing.T) {
	t.Parallel()
	d := dbtest.Open(t, dbtest.Config(t, db.SQLite))
	ctx := t.Context()
	const list = `SELECT email FROM account WHERE id >= $1 ORDER BY id`
	read := func(s db.Scanner) (e string, err error) { return e, s.Scan(&e) }
	err := d.Write(ctx, func(tx *db.Tx) error {
		for _, email := range []string{"a", "b", "c"} {
			if err := insert(ctx, tx, email); err != nil {
				return err
			}
		}
		pairs, err := db.Query(ctx, tx, func(s db.Scanner) (string, error) {
			outer, err := read(s)
			if err != nil {
				return "", err
			}
			inner, err := db.Query(ctx, tx, read, list, outer)
			return fmt.Sprint(outer, inner), err
		}, list, "a")
		if got, want := fmt.Sprint(pairs), "[a[a b c] b[b c] c[c]]"; got != want {
			t.Errorf("got %s, want %s", got, want)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// A connection keeps a limited number of statements and runs all others too. A
// kept statement notices that the schema has changed.
func TestStatementsRunBeyondTheLimitAndAfterAChangeOfSchema(t *testing.T) {
	t.Parallel()
	c := dbtest.Config(t, db.SQLite)
	d, other := dbtest.Open(t, c), dbtest.Open(t, c)
	ctx := t.Context()
	if err := d.Write(ctx, func(tx *db.Tx) error { return insert(ctx, tx, "a") }); err != nil {
		t.Fatal(err)
	}
	for i := range 600 {
		if i == 300 {
			err := other.Write(ctx, func(tx *db.Tx) error {
				_, err := tx.Exec(ctx, `ALTER TABLE account ADD COLUMN note TEXT`)
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		err := d.Read(ctx, func(tx *db.Tx) error {
			var n int
			err := tx.QueryRow(ctx, fmt.Sprintf(`SELECT count(*) + %d FROM account`, i%300)).Scan(&n)
			if n != 1+i%300 {
				t.Errorf("query %d answers %d", i, n)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}
