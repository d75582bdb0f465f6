package main_test

import (
	"net"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/db/dbtest"
)

// A command on a directory without data is refused and makes nothing there: the
// directory is mistyped, or --data was forgotten. Only the first workspace may be
// made before the first start.
func TestACommandNeedsData(t *testing.T) {
	t.Parallel()
	where := db.Config{Dir: filepath.Join(t.TempDir(), "data")}
	for _, args := range [][]string{
		{"workspaces", "list"},
		{"keys", "list", "--workspace", "x"},
		{"members", "add", "--workspace", "x", "--email", "ada@example.com"},
		{"nodes", "list"},
		{"events", "tail"},
		{"recordings", "list", "--workspace", "x"},
	} {
		r := command(t, append(args, at(where)...)...)
		if r.status != 1 || !strings.Contains(r.stderr, where.Dir+" holds no data of a service: there is no conclave.db. Name the service's directory with --data.") {
			t.Errorf("conclave %v without data: status %d, %s", args, r.status, r.stderr)
		}
	}
	if _, err := os.Stat(where.Dir); err == nil {
		t.Error("the commands made the directory")
	}
	mustRun(t, append([]string{"workspaces", "create", "--name", "Acme", "--owner", "ada@example.com"}, at(where)...)...)
	mustRun(t, append([]string{"workspaces", "list"}, at(where)...)...)
}

// What is wrong with the database is said in one line, with what to look at and
// without the password.
func TestMessagesAboutTheDatabase(t *testing.T) {
	t.Parallel()
	damaged := t.TempDir()
	if err := os.WriteFile(filepath.Join(damaged, "conclave.db"), []byte(strings.Repeat("no database ", 100)), 0o600); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		where []string
		says  string
	}{
		{[]string{"--database-url", "postgres://ada:hidden@127.0.0.1:1/none"}, "PostgreSQL does not answer: "},
		{[]string{"--database-url", "postgres://ada:hidden@127.0.0.1:1/none"}, "does --database-url name its address, account, password and database"},
		{[]string{"--database-url", "postgres://ada:hidden%zz@127.0.0.1/none"}, "a password's %, /, @, : and ? are written %25"},
		{[]string{"--database-url", "mysql://ada:hidden@127.0.0.1/none"}, "must begin with postgres://"},
		{[]string{"--data", damaged}, "conclave.db cannot be read: "},
		{[]string{"--data", damaged}, "restore a backup if the file is damaged"},
		{[]string{"--data", filepath.Join(file, "data")}, "make the data directory (--data): "},
	} {
		r := command(t, append([]string{"workspaces", "create", "--name", "Acme", "--owner", "ada@example.com"}, c.where...)...)
		if r.status != 1 || !strings.Contains(r.stderr, c.says) || strings.Count(r.stderr, "\n") != 1 || strings.Contains(r.stderr, "hidden") {
			t.Errorf("%v: status %d, %s; want one line with %q", c.where, r.status, r.stderr, c.says)
		}
	}
}

// A Redis that does not answer is named with its setting, in a line of the log's
// own form.
func TestANodeWithoutItsRedis(t *testing.T) {
	t.Parallel()
	busy, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	gone := (&url.URL{Scheme: "redis", Host: busy.Addr().String()}).String()
	if err := busy.Close(); err != nil {
		t.Fatal(err)
	}
	where := dbtest.Config(t, db.PostgreSQL)
	r := command(t, slices.Concat([]string{"serve", "--listen", "127.0.0.1:0", "--log-format", "json", "--redis-url", gone}, at(where))...)
	if r.status != 1 || !strings.Contains(r.stderr, "start the media server (--redis-url): ") {
		t.Errorf("status %d, %s", r.status, r.stderr)
	}
	for line := range strings.Lines(r.stderr) {
		if !strings.HasPrefix(line, "{") && !strings.HasPrefix(line, "conclave: ") {
			t.Errorf("a line that is not in the form of the log: %s", line)
		}
	}
}

// Arguments that cannot be read are refused with the command that explains them.
func TestUsage(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ args, says string }{
		{"", ". See conclave --help"},
		{"keys", ". See conclave keys --help"},
		{"keys create", "--workspace=ID. See conclave keys create --help"},
		{"keys create --workspace x --scopes all --expires-at tomorrow", `"tomorrow" is not a time such as 2027-01-01T00:00:00Z. See conclave keys create --help`},
		{"fly", ". See conclave --help"},
		{"serve --config no-such-file", "no-such-file: no such file or directory. See conclave serve --help"},
	} {
		r := command(t, strings.Fields(c.args)...)
		if r.status != 2 || !strings.HasSuffix(r.stderr, c.says+"\n") || strings.Count(r.stderr, "\n") != 1 {
			t.Errorf("conclave %s: status %d, %q; want one line that ends in %q", c.args, r.status, r.stderr, c.says)
		}
	}
}
