package db

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/conclave-rooms/conclave/internal/fault"
)

// sqliteName is the database's file in the data directory, and in a copy of it.
const sqliteName = "conclave.db"

// Engine says which database is configured.
func (c Config) Engine() Engine {
	if c.URL != "" {
		return PostgreSQL
	}
	return SQLite
}

// CopyName is the name of the file that Copy writes.
func CopyName(e Engine) string {
	if e == PostgreSQL {
		return "conclave.dump"
	}
	return sqliteName
}

// Copy writes a copy of the database, as it is at one moment, into a directory,
// and returns the file's name. Others may write to the database meanwhile. Its
// schema stays as it is. PostgreSQL is copied by its own pg_dump.
func Copy(ctx context.Context, c Config, dir string) (string, error) {
	name := CopyName(c.Engine())
	file := filepath.Join(dir, name)
	// Whatever writes the file finds it there, with the mode that it should have.
	w, err := os.OpenFile(file, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600) //nolint:gosec // the operator names the directory
	if err != nil {
		return "", err
	}
	defer func() { _ = w.Close() }()
	if c.Engine() == PostgreSQL {
		err = postgresTool(ctx, c.URL, "pg_dump", "--format=custom", "--no-owner", "--no-privileges", "--file="+file)
	} else {
		err = copySQLite(ctx, c.Dir, file)
	}
	if err == nil {
		err = w.Sync() // the file is the same, no matter who wrote it
	}
	if err != nil {
		return "", errors.Join(err, os.Remove(file))
	}
	return name, nil
}

// copySQLite lets SQLite write the copy. It is smaller than the original,
// because it has no free pages.
func copySQLite(ctx context.Context, dir, file string) error {
	from := filepath.Join(dir, sqliteName)
	if _, err := os.Stat(from); errors.Is(err, fs.ErrNotExist) {
		return fault.BadParameter("data", fmt.Sprintf("%s holds no data of a service: there is no %s.", dir, sqliteName))
	}
	pool, err := openPool("file:" + from + "?mode=rw&_pragma=busy_timeout(10000)")
	if err != nil {
		return fmt.Errorf("open %s: %w", from, err)
	}
	defer func() { _ = pool.Close() }()
	if _, err := pool.ExecContext(ctx, "VACUUM INTO ?", file); err != nil {
		return fmt.Errorf("copy %s: %w", from, err)
	}
	return nil
}

// Load fills a PostgreSQL database that has no tables from a file that Copy
// wrote. It does so in one transaction.
func Load(ctx context.Context, c Config, file string) error {
	d := &DB{engine: PostgreSQL, url: c.URL, log: c.Logger, asked: func(string) {}}
	if err := d.openPostgres(c.URL); err != nil {
		return err
	}
	defer d.Close()
	var tables int
	count := "SELECT count(*) FROM information_schema.tables WHERE table_schema = current_schema()"
	if err := d.read.QueryRowContext(ctx, count).Scan(&tables); err != nil {
		return fmt.Errorf("ask which tables there are: %w", err)
	}
	if tables > 0 {
		return fault.BadParameter("database-url", "The database has tables already. Name one without any.")
	}
	return postgresTool(ctx, c.URL, "pg_restore", "--no-owner", "--no-privileges", "--exit-on-error", "--single-transaction", file)
}

// postgresTool runs a program of PostgreSQL's client package on a database. The
// password does not appear in the arguments, which every user of the machine can
// read.
func postgresTool(ctx context.Context, address, name string, args ...string) error {
	program, err := exec.LookPath(name)
	if err != nil {
		return fault.BadParameter("database-url", name+" is needed for PostgreSQL and is not installed: install the package postgresql-client.")
	}
	u, err := url.Parse(address)
	if err != nil {
		return errors.New("the database URL is not a URL") // without the text: it may hold a password
	}
	shown, password := withoutPassword(u)
	run := exec.CommandContext(ctx, program, append(args, "--dbname="+shown)...) //nolint:gosec // the operator's own database
	run.Env = os.Environ()
	if password != "" {
		run.Env = append(run.Env, "PGPASSWORD="+password)
	}
	var said bytes.Buffer
	run.Stderr = &said
	if err := run.Run(); err != nil {
		return fmt.Errorf("%s: %w: %s", name, err, bytes.TrimSpace(said.Bytes()))
	}
	return nil
}

// withoutPassword returns an address without its password, which stands before the host
// or among the parameters. There it counts more, as with libpq. The other parameters
// stay as they are written: libpq does not read + as a space.
func withoutPassword(u *url.URL) (address, password string) {
	shown := *u
	if given, ok := u.User.Password(); ok {
		password, shown.User = given, url.User(u.User.Username())
	}
	var rest []string
	for parameter := range strings.SplitSeq(u.RawQuery, "&") {
		name, value, _ := strings.Cut(parameter, "=")
		if plain, err := url.PathUnescape(name); err != nil || plain != "password" {
			rest = append(rest, parameter)
		} else if value, err = url.PathUnescape(value); err == nil {
			password = value
		}
	}
	shown.RawQuery = strings.Join(rest, "&")
	return shown.String(), password
}
