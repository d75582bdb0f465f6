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
	"github.com/conclave-rooms/conclave/internal/media/mediaclient"
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

// The primary PostgreSQL is lost while clients write and people speak, and its standby
// takes over. The service finds it by itself, everything that was acknowledged is
// there, and the meeting has gone on.
func TestAFailoverOfPostgreSQL(t *testing.T) {
	t.Parallel()
	if os.Getenv("CONCLAVE_TEST_POSTGRES") == "" {
		t.Skip("CONCLAVE_TEST_POSTGRES is not set: this test runs with `make test`, beside which PostgreSQL is installed")
	}
	primary, standby := newPostgresPair(t)
	where := eitherOf(t, primary, standby)
	_, key := newKey(t, where)
	p := start(t, "serve", where, "--rate-limits=off")
	ada, grace, quiet := twoSpeak(t, p, key)
	ledger := newLedger(t)

	stopWriting := ledger.write(p, key, 40)
	primary.stop()
	began := time.Now()
	stopWriting()
	var refused int
	makesRoom := func() bool {
		status, body := p.call(http.MethodPost, "/api/v1/rooms", key, `{"name": "Afterwards"}`)
		switch status {
		case http.StatusServiceUnavailable:
			refused++
		case http.StatusCreated:
		default:
			t.Errorf("without a database the service answers %d %s\n%s", status, body, p.log)
		}
		return status == http.StatusCreated
	}
	if makesRoom() {
		t.Error("a room was made without a database")
	}
	tool(t, "pg_ctl", "promote", "-w", "-s", "-D", standby.dir)
	soon(t, 30*time.Second, "the service works again", makesRoom)
	t.Logf("a room was made %s after the primary was lost, and %d requests were refused", time.Since(began).Round(time.Millisecond), refused)
	soon(t, 30*time.Second, "the service is ready", func() bool {
		status, _ := p.call(http.MethodGet, "/readyz", "", "")
		return status == http.StatusOK
	})

	for range 20 {
		if !ledger.writeOne(t.Context(), p, key) {
			t.Fatalf("a write failed after the failover\n%s", p.log)
		}
	}
	ledger.check(p, key)
	ledger.checkAll(where)
	hears(t, ada, grace)
	hears(t, grace, ada)
	stayedTogether(t, quiet, tooSilent, ada, grace)
	in, running, joins := pairs(t, where)
	if !running || joins != 2 || len(in) != 2 || !in[ada.Identity()] || !in[grace.Identity()] {
		t.Errorf("a meeting runs: %v; people joined %d times, and are in: %v", running, joins, in)
	}
}

// eitherOf is the database on whichever of two servers takes changes.
func eitherOf(t *testing.T, one, other *postgres) db.Config {
	return db.Config{Dir: t.TempDir(), URL: fmt.Sprintf(
		"postgres:///postgres?host=127.0.0.1,127.0.0.1&port=%s,%s&user=postgres&sslmode=disable&target_session_attrs=read-write&connect_timeout=2", one.port, other.port)}
}

// Two nodes lose their primary PostgreSQL in a meeting. Both find its standby, hear of each
// other's changes there, and go on to divide their work.
func TestAFailoverOfPostgreSQLWithTwoNodes(t *testing.T) {
	t.Parallel()
	redis := os.Getenv("CONCLAVE_TEST_REDIS")
	if redis == "" || os.Getenv("CONCLAVE_TEST_POSTGRES") == "" {
		t.Skip("CONCLAVE_TEST_REDIS is not set: this test runs with `make test`, which starts a Redis, and beside which PostgreSQL is installed")
	}
	primary, standby := newPostgresPair(t)
	where := eitherOf(t, primary, standby)
	workspace, key := newKey(t, where)
	nodes := []*process{}
	for _, name := range []string{"first", "second"} {
		nodes = append(nodes, start(t, "serve", where, "--node-name="+name, "--redis-url="+redis+"/11"))
	}
	ada, grace, quiet := twoSpeak(t, nodes[0], key)
	var rooms api.List[api.Room]
	nodes[0].get("/api/v1/rooms", key, &rooms)
	room := rooms.Data[0].ID

	primary.stop()
	tool(t, "pg_ctl", "promote", "-w", "-s", "-D", standby.dir)
	for _, p := range nodes {
		soon(t, 30*time.Second, "the node is ready", func() bool {
			status, _ := p.call(http.MethodGet, "/readyz", "", "")
			return status == http.StatusOK
		})
	}

	var spare map[string]any
	administrate(t, where, &spare, "keys", "create", "--workspace", workspace, "--scopes", "rooms:read")
	reads := func(p *process) int {
		status, _ := p.call(http.MethodGet, "/api/v1/rooms", spare["key"].(string), "")
		return status
	}
	for _, p := range nodes {
		if status := reads(p); status != http.StatusOK {
			t.Errorf("a new key is answered with %d", status)
		}
	}
	administrate(t, where, &map[string]any{}, "keys", "revoke", spare["id"].(string))
	for _, p := range nodes {
		soon(t, 3*time.Second, "the node knows that the key was revoked", func() bool { return reads(p) == http.StatusUnauthorized })
	}

	hears(t, ada, grace)
	hears(t, grace, ada)
	stayedTogether(t, quiet, tooSilent, ada, grace)
	eve := speaks(t, nodes[1], tokenFor(t, nodes[1], key, room, "Eve"))
	hears(t, ada, eve)
	eventually(t, nodes[0], "all nodes list three people", func() bool {
		for _, p := range nodes {
			var list api.List[api.Participant]
			if p.get("/api/v1/rooms/"+room+"/participants", key, &list); len(list.Data) != 3 {
				return false
			}
		}
		return true
	})
}

// twoSpeak makes a room, in which two people hear each other, and measures how long
// each hears nothing.
func twoSpeak(t *testing.T, p *process, key string) (one, other *mediaclient.Participant, silences []func() time.Duration) {
	t.Helper()
	var room api.Room
	if status, body := p.call(http.MethodPost, "/api/v1/rooms", key, `{"name": "All hands"}`); json.Unmarshal(body, &room) != nil {
		t.Fatalf("make the room: %d %s", status, body)
	}
	one, other = speaks(t, p, tokenFor(t, p, key, room.ID, "Ada")), speaks(t, p, tokenFor(t, p, key, room.ID, "Grace"))
	hears(t, one, other)
	hears(t, other, one)
	eventually(t, p, "events report both people", func() bool { return count(p.happened(key), string(api.EventParticipantJoined)) == 2 })
	return one, other, []func() time.Duration{silence(t, one, other), silence(t, other, one)}
}
