package main_test

import (
	"bufio"
	"encoding/json"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/db/dbtest"
)

// printer is a command that prints until it is interrupted.
type printer struct {
	t     *testing.T
	cmd   *exec.Cmd
	lines chan string
	errs  *lines
}

// spawn starts one. It ends with the test at the latest.
func spawn(t *testing.T, args ...string) *printer {
	t.Helper()
	p := &printer{t: t, cmd: exec.Command(binary, args...), lines: make(chan string, 100), errs: &lines{}}
	p.cmd.Env = environment()
	p.cmd.Stderr = p.errs
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		defer close(p.lines)
		for scanner := bufio.NewScanner(out); scanner.Scan(); {
			p.lines <- scanner.Text()
		}
	}()
	t.Cleanup(func() { _ = p.cmd.Process.Kill() })
	return p
}

// next is the next line it prints.
func (p *printer) next() string {
	p.t.Helper()
	select {
	case line, more := <-p.lines:
		if !more {
			p.t.Fatalf("conclave %v ended\n%s", p.cmd.Args[1:], p.errs)
		}
		return line
	case <-time.After(patience):
		p.t.Fatalf("conclave %v prints nothing\n%s", p.cmd.Args[1:], p.errs)
	}
	return ""
}

// object is the next line, decoded from JSON.
func (p *printer) object() map[string]any {
	p.t.Helper()
	var out map[string]any
	line := p.next()
	if err := json.Unmarshal([]byte(line), &out); err != nil {
		p.t.Fatalf("conclave %v printed %s: %v", p.cmd.Args[1:], line, err)
	}
	return out
}

// interrupt sends the signal of Ctrl+C, after which the command ends properly
// and prints no more.
func (p *printer) interrupt() {
	p.t.Helper()
	if err := p.cmd.Process.Signal(syscall.SIGINT); err != nil {
		p.t.Fatal(err)
	}
	for line := range p.lines {
		p.t.Errorf("conclave %v also printed: %s", p.cmd.Args[1:], line)
	}
	if err := p.cmd.Wait(); err != nil {
		p.t.Errorf("conclave %v ended with %v\n%s", p.cmd.Args[1:], err, p.errs)
	}
}

// Events of the running service and of the command line are printed as they
// happen.
func TestEventsTail(t *testing.T) {
	t.Parallel()
	dbtest.EachConfig(t, func(t *testing.T, where db.Config) {
		service := start(t, "serve", where)
		workspace, key := newKey(t, where)
		api := func(method, path, body string) { service.call(method, "/api/v1"+path, key, body) }
		api("POST", "/rooms", `{"name": "Before"}`)
		all := spawn(t, append([]string{"events", "tail", "--workspace", workspace, "--since", "1h", "--json"}, at(where)...)...)
		made := spawn(t, append([]string{"events", "tail", "--type", "room.created", "--since", "0001-01-01T00:00:00Z"}, at(where)...)...)
		first := all.object()
		wantShape(t, "an event", first, "id type workspace_id created_at data")
		room := first["data"].(map[string]any)["room"].(map[string]any)
		if first["type"] != "room.created" || first["workspace_id"] != workspace || room["name"] != "Before" {
			t.Errorf("the first event is %v", first)
		}
		if line := made.next(); !strings.Contains(line, first["id"].(string)) {
			t.Errorf("the first event is printed as %s", line)
		}
		api("PATCH", "/rooms/"+room["id"].(string), `{"name": "Between"}`)
		administrate(t, where, &room, "rooms", "create", "--workspace", workspace, "--name", "After")
		if e := all.object(); e["type"] != "room.updated" {
			t.Errorf("the second event is %v", e)
		}
		if e := all.object(); e["type"] != "room.created" {
			t.Errorf("the third event is %v", e)
		}
		if line := made.next(); !strings.Contains(line, `"After"`) {
			t.Errorf("the second room is printed as %s", line)
		}
		all.interrupt()
		made.interrupt()
		service.stop()
	})
}

// A list can begin at a time, or a while ago.
func TestEventsSince(t *testing.T) {
	t.Parallel()
	where := dbtest.Config(t, db.SQLite)
	workspace, _ := newKey(t, where)
	var room map[string]any
	administrate(t, where, &room, "rooms", "create", "--workspace", workspace, "--name", "One")
	for since, want := range map[string]int{"1h": 1, "2001-01-01T00:00:00Z": 1, "2099-01-01T00:00:00+01:00": 0, "0s": 0} {
		r := command(t, append([]string{"events", "list", "--since", since}, at(where)...)...)
		if n := strings.Count(r.stdout, "\n"); r.status != 0 || n != want {
			t.Errorf("--since %s: status %d, %d events, want %d", since, r.status, n, want)
		}
	}
	for flag, value := range map[string]string{"--since": "yesterday", "--type": "room.exploded"} {
		r := command(t, append([]string{"events", "list", flag, value}, at(where)...)...)
		if r.status == 0 || !strings.Contains(r.stderr, flag) || !strings.Contains(r.stderr, value) || r.stdout != "" {
			t.Errorf("%s %s: status %d, %q", flag, value, r.status, r.stderr)
		}
	}
}

// The machine's clock is an hour ahead of the database's, by which events get their
// times.
func TestEventsSinceGoesByTheDatabasesClock(t *testing.T) {
	t.Parallel()
	where := dbtest.Config(t, db.PostgreSQL)
	dbtest.NewClock(t, where).Advance(-time.Hour)
	workspace, _ := newKey(t, where)
	var room map[string]any
	administrate(t, where, &room, "rooms", "create", "--workspace", workspace, "--name", "One")
	for since, want := range map[string]int{"15m": 1, "0s": 0} {
		r := command(t, append([]string{"events", "list", "--since", since}, at(where)...)...)
		if n := strings.Count(r.stdout, "\n"); r.status != 0 || n != want {
			t.Errorf("--since %s: status %d, %d events, want %d", since, r.status, n, want)
		}
	}
	tail := spawn(t, append([]string{"events", "tail", "--since", "15m", "--json"}, at(where)...)...)
	if e := tail.object(); e["type"] != "room.created" {
		t.Errorf("the first event is %v", e)
	}
	tail.interrupt()
}
