package main_test

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/db"
)

// postgres is one PostgreSQL of a pair.
type postgres struct {
	t    *testing.T
	dir  string
	port string
}

// tool runs a program of PostgreSQL, which refuses to be root.
func tool(t *testing.T, name string, args ...string) {
	t.Helper()
	found, err := filepath.Glob("/usr/lib/postgresql/*/bin/" + name)
	if err != nil || len(found) == 0 {
		t.Fatalf("%s is not installed: scripts/install-test-deps installs it", name)
	}
	slices.Sort(found)
	if out, err := asPostgres(found[len(found)-1], args...).CombinedOutput(); err != nil {
		t.Fatalf("%s %v: %v\n%s", name, args, err, out)
	}
}

// asPostgres runs a program with the account that Debian made for PostgreSQL, if this
// one is root.
func asPostgres(program string, args ...string) *exec.Cmd {
	if os.Getuid() == 0 {
		args = append([]string{"-u", "postgres", "--", program}, args...)
		program = "runuser"
	}
	cmd := exec.Command(program, args...)
	cmd.Dir = "/"
	return cmd
}

// start starts the server with settings in addition to its file's.
func (p *postgres) start(settings string) {
	p.t.Helper()
	settings = fmt.Sprintf("port=%s listen_addresses=127.0.0.1 unix_socket_directories='' %s", p.port, settings)
	options := ""
	for _, s := range strings.Fields(settings) {
		options += " -c " + s
	}
	tool(p.t, "pg_ctl", "start", "-w", "-s", "-D", p.dir, "-l", p.dir+".log", "-o", options)
	p.t.Cleanup(p.stop)
}

// stop ends the server as a crash does.
func (p *postgres) stop() {
	if _, err := os.Stat(filepath.Join(p.dir, "postmaster.pid")); err == nil {
		tool(p.t, "pg_ctl", "stop", "-s", "-D", p.dir, "-m", "immediate")
	}
}

// newPostgresPair starts a primary, and a standby that has every change before it is
// acknowledged.
func newPostgresPair(t *testing.T) (primary, standby *postgres) {
	t.Helper()
	out, err := asPostgres("mktemp", "-d", "/tmp/conclave-failover.XXXXXX").Output()
	if err != nil {
		t.Fatal(err)
	}
	dir := strings.TrimSpace(string(out))
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	for i, p := range []**postgres{&primary, &standby} {
		free, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		_, port, _ := net.SplitHostPort(free.Addr().String())
		*p = &postgres{t: t, dir: filepath.Join(dir, fmt.Sprint(i)), port: port}
		_ = free.Close()
	}
	tool(t, "initdb", "-D", primary.dir, "-U", "postgres", "--auth=trust", "--no-sync", "-E", "UTF8")
	primary.start("")
	tool(t, "pg_basebackup", "-h", "127.0.0.1", "-p", primary.port, "-U", "postgres", "-D", standby.dir, "-R", "-X", "stream", "-c", "fast", "--no-sync")
	standby.start("")
	// From now on a commit waits for the standby.
	primary.stop()
	primary.start("synchronous_standby_names=*")
	return primary, standby
}

// The primary PostgreSQL is lost, and its standby takes over. The service finds it by
// itself, and everything that was acknowledged is there.
func TestAFailoverOfPostgreSQL(t *testing.T) {
	t.Parallel()
	if os.Getenv("CONCLAVE_TEST_POSTGRES") == "" {
		t.Skip("CONCLAVE_TEST_POSTGRES is not set: this test runs with `make test`, beside which PostgreSQL is installed")
	}
	primary, standby := newPostgresPair(t)
	where := db.Config{Dir: t.TempDir(), URL: fmt.Sprintf(
		"postgres:///postgres?host=127.0.0.1,127.0.0.1&port=%s,%s&user=postgres&sslmode=disable&target_session_attrs=read-write&connect_timeout=2", primary.port, standby.port)}
	_, key := newKey(t, where)
	p := start(t, "serve", where)
	made := []string{}
	makeRoom := func() bool {
		name := fmt.Sprintf("Room %d", len(made))
		status, _ := p.call(http.MethodPost, "/api/v1/rooms", key, fmt.Sprintf(`{"name": %q}`, name))
		if status == http.StatusCreated {
			made = append(made, name)
		}
		return status == http.StatusCreated
	}
	for range 20 {
		if !makeRoom() {
			t.Fatal("a room could not be made before anything failed")
		}
	}
	primary.stop()
	began := time.Now()
	tool(t, "pg_ctl", "promote", "-w", "-s", "-D", standby.dir)
	soon(t, 30*time.Second, "the service works again", makeRoom)
	t.Logf("a room was made %s after the primary was lost", time.Since(began).Round(time.Millisecond))
	soon(t, 30*time.Second, "the service is ready", func() bool {
		status, _ := p.call(http.MethodGet, "/readyz", "", "")
		return status == http.StatusOK
	})
	var list api.List[api.Room]
	status, body := p.call(http.MethodGet, "/api/v1/rooms?limit=100", key, "")
	if err := json.Unmarshal(body, &list); err != nil || status != http.StatusOK {
		t.Fatalf("list the rooms: %d %s", status, body)
	}
	for _, name := range made {
		if !slices.ContainsFunc(list.Data, func(r api.Room) bool { return r.Name == name }) {
			t.Errorf("%s was acknowledged, and is lost", name)
		}
	}
}
