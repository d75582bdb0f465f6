package db_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/fault"
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

// libpq takes no other secret from the environment, so pg_dump finds it in a file that
// is readable for one user and gone afterwards.
func TestNoSecretIsAnArgument(t *testing.T) {
	programs, said := t.TempDir(), filepath.Join(t.TempDir(), "said")
	dump := "#!/bin/sh\n{ echo \"$PGPASSWORD $*\"; echo $PGSERVICE; echo $PGSERVICEFILE; stat -c %a $PGSERVICEFILE; cat $PGSERVICEFILE; } > " + said + "\n"
	if err := os.WriteFile(filepath.Join(programs, "pg_dump"), []byte(dump), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", programs+":"+os.Getenv("PATH"))
	t.Setenv("PGSERVICE", "")
	copied := func(address string) error {
		_, err := db.Copy(t.Context(), db.Config{URL: address}, t.TempDir())
		return err
	}
	for _, name := range []string{"sslpassword", "sslp%61ssword", "oauth_client_secret", "scram_client_key", "scram_server_key"} {
		if err := copied("postgres://me:pass@db/c?sslmode=require&" + name + "=s3%63ret+=x&sslkey=/key"); err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(said)
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(string(text), "\n")
		if !strings.HasPrefix(lines[0], "pass ") || !strings.HasSuffix(lines[0], " --dbname=postgres://me@db/c?sslmode=require&sslkey=/key") {
			t.Errorf("%s: pg_dump gets %q", name, lines[0])
		}
		want := []string{"600", "[conclave]", strings.ReplaceAll(name, "%61", "a") + "=s3cret+=x", ""}
		if lines[1] != "conclave" || !slices.Equal(lines[3:], want) {
			t.Errorf("%s: pg_dump finds %q, want %q", name, lines[1:], want)
		}
		if _, err := os.Stat(lines[2]); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: the file is still there: %v", name, err)
		}
	}
	for _, address := range []string{
		"postgres://db/c?sslpassword=s3cret%20", "postgres://db/c?sslpassword=s3cret%0Ahost=evil", "postgres://db/c?service=mine&sslpassword=s3cret",
	} {
		if f, refused := fault.As(copied(address)); !refused || f.Param != "database-url" || strings.Contains(f.Message, "s3cret") {
			t.Errorf("%s: got %v", address, f)
		}
	}
	t.Setenv("PGSERVICE", "mine")
	if f, refused := fault.As(copied("postgres://db/c?sslpassword=s3cret")); !refused || f.Param != "database-url" {
		t.Errorf("with PGSERVICE: got %v", f)
	}
}
