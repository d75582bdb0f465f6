package main_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/db/dbtest"
	"github.com/conclave-rooms/conclave/internal/media/mediaclient"
)

// mediaProcess is the id of the process of a service's media server.
func (p *process) mediaProcess() int {
	p.t.Helper()
	all := regexp.MustCompile(`the media server runs" process=(\d+)`).FindAllStringSubmatch(p.log.String(), -1)
	if len(all) == 0 {
		p.t.Fatalf("no media server runs\n%s", p.log)
	}
	pid, err := strconv.Atoi(all[len(all)-1][1])
	if err != nil {
		p.t.Fatal(err)
	}
	return pid
}

// runs says whether a process runs. A process that has ended is a zombie until
// its parent has waited for it, and does not count.
func runs(pid int) bool {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return false
	}
	_, state, _ := strings.Cut(string(text), ") ")
	return !strings.HasPrefix(state, "Z")
}

// soon polls a condition until it holds. The time limit is a part of what is
// tested.
func soon(t *testing.T, limit time.Duration, what string, so func() bool) {
	t.Helper()
	look := time.NewTicker(5 * time.Millisecond)
	defer look.Stop()
	enough := time.After(limit)
	for !so() {
		select {
		case <-look.C:
		case <-enough:
			t.Fatalf("not true after %s: %s", limit, what)
		}
	}
}

// When the service is killed, its media server ends within a second, and its
// ports are free for the next start.
func TestAKilledServiceTakesItsMediaServerAlong(t *testing.T) {
	t.Parallel()
	free, err := (&net.ListenConfig{}).ListenPacket(t.Context(), "udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := strconv.Itoa(free.LocalAddr().(*net.UDPAddr).Port)
	if err := free.Close(); err != nil {
		t.Fatal(err)
	}
	where := dbtest.Config(t, db.SQLite)
	for _, hangs := range []bool{false, true, false} {
		p := start(t, "serve", where, "--media-udp-port", port)
		pid := p.mediaProcess()
		if !runs(pid) {
			t.Fatalf("the process %d of the log does not run", pid)
		}
		if hangs {
			if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil {
				t.Fatal(err)
			}
		}
		if err := p.cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		soon(t, time.Second, "the media server has ended", func() bool { return !runs(pid) })
		p.wait()
	}
}

// Other programs on the machine can read nothing secret about the media
// server's process.
func TestTheMediaServersProcessShowsNoSecret(t *testing.T) {
	t.Parallel()
	p := start(t, "serve", dbtest.Config(t, db.SQLite), "--log-level", "debug")
	dir := fmt.Sprintf("/proc/%d", p.mediaProcess())
	for name, want := range map[string]string{"cmdline": "conclave\x00media\x00", "comm": "conclave-media\n"} {
		if got, err := os.ReadFile(filepath.Join(dir, name)); err != nil || string(got) != want {
			t.Errorf("%s is %q (%v), want %q", name, got, err, want)
		}
	}
	if environ, err := os.ReadFile(filepath.Join(dir, "environ")); err != nil || strings.Contains(string(environ), "CONCLAVE") {
		t.Errorf("environ is %q (%v)", environ, err)
	}
	p.stop()
}

// regular is a person who reconnects whenever their connection is lost.
type regular struct {
	token   api.RoomToken
	arrived time.Duration // how long the first connection took; set before back
	back    atomic.Int64  // how often they connected
	stop    context.CancelFunc
	done    chan struct{}
}

// attend keeps a person in the meeting until they go.
func attend(t *testing.T, p *process, token api.RoomToken) *regular {
	ctx, cancel := context.WithCancel(t.Context())
	a := &regular{token: token, stop: cancel, done: make(chan struct{})}
	go func() {
		defer close(a.done)
		began := time.Now()
		for ctx.Err() == nil {
			trying, enough := context.WithTimeout(ctx, patience)
			here, err := mediaclient.Connect(trying, mediaclient.Options{URL: "ws" + p.url[len("http"):], Token: token.Token, Passphrase: token.E2EEPassphrase})
			enough()
			if err != nil {
				select {
				case <-time.After(200 * time.Millisecond):
				case <-ctx.Done():
				}
				continue
			}
			if a.back.Load() == 0 {
				a.arrived = time.Since(began)
			}
			a.back.Add(1)
			select {
			case <-here.Gone():
			case <-ctx.Done():
			}
			here.Disconnect()
		}
	}()
	t.Cleanup(a.goes)
	return a
}

func (a *regular) goes() { a.stop(); <-a.done }

// happened lists the types of all events of a service with one room, oldest
// first.
func (p *process) happened(key string) []string {
	p.t.Helper()
	var out []string
	for after := ""; ; {
		var page api.List[api.Event]
		p.get("/api/v1/events?limit=100"+after, key, &page)
		for _, e := range page.Data {
			out = append([]string{string(e.Type)}, out...)
			after = "&starting_after=" + e.ID
		}
		if !*page.HasMore {
			return out
		}
	}
}

func count(all []string, what string) int {
	n := 0
	for _, one := range all {
		if one == what {
			n++
		}
	}
	return n
}

// The media server is killed in a meeting of fifty. All other requests are
// answered meanwhile, everybody reconnects, and nobody counts as gone.
func TestACrowdAndAKilledMediaServer(t *testing.T) {
	t.Parallel()
	const people = crowd
	where := dbtest.Config(t, db.SQLite)
	_, key := newKey(t, where)
	p := start(t, "serve", where)
	var room api.Room
	if _, body := p.call(http.MethodPost, "/api/v1/rooms", key, `{"name": "All hands"}`); json.Unmarshal(body, &room) != nil {
		t.Fatalf("make the room: %s", body)
	}
	all := make([]*regular, people)
	for i := range all {
		var token api.RoomToken
		status, body := p.call(http.MethodPost, "/api/v1/rooms/"+room.ID+"/tokens", key, fmt.Sprintf(`{"name": "Person %d"}`, i))
		if err := json.Unmarshal(body, &token); err != nil || status != http.StatusCreated {
			t.Fatalf("make a token: %d %s", status, body)
		}
		all[i] = attend(t, p, token)
	}
	eventually(t, p, "everybody is in", func() bool { return count(p.happened(key), "participant.joined") == people })

	first := p.mediaProcess()
	stopAsking := p.keepAsking(room, key)
	if err := syscall.Kill(first, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	killed := time.Now()
	eventually(t, p, "everybody came back", func() bool {
		for _, a := range all {
			if a.back.Load() < 2 {
				return false
			}
		}
		return true
	})
	back := time.Since(killed)
	eventually(t, p, "the list has everybody", func() bool {
		var list api.List[api.Participant]
		status, body := p.call(http.MethodGet, "/api/v1/rooms/"+room.ID+"/participants", key, "")
		return status == http.StatusOK && json.Unmarshal(body, &list) == nil && len(list.Data) == people
	})
	t.Logf("%d people were back after %s; %d requests were answered meanwhile", people, back.Round(time.Millisecond), stopAsking())
	if p.mediaProcess() == first {
		t.Error("the media server was not killed")
	}
	if metrics, _ := p.call(http.MethodGet, "/metrics", "", ""); metrics != http.StatusOK {
		t.Errorf("/metrics answers %d", metrics)
	}
	if _, body := p.call(http.MethodGet, "/metrics", "", ""); !strings.Contains(string(body), "\nconclave_media_restarts_total 1\n") {
		t.Error("/metrics does not count the restart")
	}
	for _, a := range all {
		a.goes()
	}
	eventually(t, p, "the meeting is over", func() bool { return count(p.happened(key), "room.finished") == 1 })
	events := p.happened(key)
	if joined, left := count(events, "participant.joined"), count(events, "participant.left"); joined != people || left != people || count(events, "room.started") != 1 {
		t.Errorf("%d joined and %d left, of %d people: %q", joined, left, people, events)
	}
	p.stop()
}

// keepAsking repeats requests that need no media, and reports every one that
// fails. It returns a function that stops this and returns their number.
func (p *process) keepAsking(room api.Room, key string) func() int {
	var asking sync.WaitGroup
	var asked atomic.Int64
	stop := make(chan struct{})
	for _, ask := range []struct{ method, path, body string }{
		{http.MethodGet, "/api/v1/rooms/" + room.ID, ""},
		{http.MethodPatch, "/api/v1/rooms/" + room.ID, `{"name": "All hands"}`},
		{http.MethodPost, "/api/v1/rooms/" + room.ID + "/tokens", `{"name": "Late"}`},
		{http.MethodGet, "/healthz", ""},
		{http.MethodGet, "/metrics", ""},
	} {
		asking.Go(func() {
			every := time.NewTicker(20 * time.Millisecond)
			defer every.Stop()
			for {
				select {
				case <-stop:
					return
				case <-every.C:
				}
				res, err := p.send(ask.method, ask.path, key, ask.body)
				if err != nil {
					p.t.Errorf("%s %s: %v", ask.method, ask.path, err)
					return
				}
				_ = res.Body.Close()
				if res.StatusCode/100 != 2 {
					p.t.Errorf("%s %s: %s", ask.method, ask.path, res.Status)
				}
				asked.Add(1)
			}
		})
	}
	return func() int {
		close(stop)
		asking.Wait()
		return int(asked.Load())
	}
}

// SIGTERM goes to every process of the service, as a terminal or a service
// manager sends it, while people are in a meeting. Devices are notified, and
// the service exits with status 0 in time.
func TestTheServiceStopsInTimeDuringAMeeting(t *testing.T) {
	t.Parallel()
	where := dbtest.Config(t, db.SQLite)
	_, key := newKey(t, where)
	p := start(t, "serve", where, "--stop-timeout", "10s")
	_, people := invited(t, p, key)
	for i := range people {
		if err := people[i].comes(t.Context(), p); err != nil {
			t.Fatal(err)
		}
	}
	pid := p.mediaProcess()
	if err := syscall.Kill(pid, syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	told := time.Now()
	p.stop()
	if took := time.Since(told); took > 10*time.Second {
		t.Errorf("stopping took %s", took)
	}
	if log := p.log.String(); strings.Contains(log, "is started again") || strings.Contains(log, "level=ERROR") {
		t.Errorf("the log says\n%s", log)
	}
	if runs(pid) {
		t.Error("the media server still runs")
	}
}
