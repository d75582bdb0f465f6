package db_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/conclave-rooms/conclave/internal/db"
)

// Every user of the machine can read the arguments of its programs, so the password of
// a database is not among those of pg_dump, wherever it stands in the address.
func TestThePasswordIsNotAnArgument(t *testing.T) {
	programs, said := t.TempDir(), filepath.Join(t.TempDir(), "said")
	dump := "#!/bin/sh\necho \"password=$PGPASSWORD $*\" > " + said + "\n"
	if err := os.WriteFile(filepath.Join(programs, "pg_dump"), []byte(dump), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", programs+":"+os.Getenv("PATH"))
	for _, c := range []struct{ address, shown, password string }{
		{"postgres://me:s3cret@db/conclave", "postgres://me@db/conclave", "s3cret"},
		{"postgres://me@db/conclave?sslmode=disable", "postgres://me@db/conclave?sslmode=disable", ""},
		{"postgres://db/conclave?user=me&password=s3cret", "postgres://db/conclave?user=me", "s3cret"},
		{"postgres://db/conclave?p%61ssword=s3%63ret&user=me", "postgres://db/conclave?user=me", "s3cret"},
		{"postgres://me:other@db/conclave?password=s3cret", "postgres://me@db/conclave", "s3cret"},
		{"postgres://db/c?password=s3cret&options=-c%20geqo%3Doff", "postgres://db/c?options=-c%20geqo%3Doff", "s3cret"},
	} {
		if _, err := db.Copy(t.Context(), db.Config{URL: c.address}, t.TempDir()); err != nil {
			t.Fatal(err)
		}
		line, err := os.ReadFile(said)
		if err != nil {
			t.Fatal(err)
		}
		words := strings.Fields(string(line))
		if words[0] != "password="+c.password || words[len(words)-1] != "--dbname="+c.shown {
			t.Errorf("%s: pg_dump gets %s, want password=%s ... --dbname=%s", c.address, line, c.password, c.shown)
		}
	}
}
