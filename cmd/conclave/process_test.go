package main_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/conclave-rooms/conclave/internal/db"
)

// These tests run the binary itself, as an operator does.

// binary is built once for all tests.
var binary string

func TestMain(m *testing.M) {
	os.Exit(runTests(m))
}

func runTests(m *testing.M) int {
	dir, err := os.MkdirTemp("", "conclave-test")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer func() { _ = os.RemoveAll(dir) }()
	binary = filepath.Join(dir, "conclave")
	build := exec.Command("go", slices.Concat([]string{"build"}, buildFlags(), []string{"-o", binary, "."})...)
	build.Env = append(os.Environ(), "CGO_ENABLED=0", "GOGC=400")
	if out, err := build.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "build conclave: %v\n%s", err, out)
		return 1
	}
	return m.Run()
}

// buildFlags are the flags of make (GO_BUILD_FLAGS), so that its compiled packages
// are used again.
func buildFlags() []string {
	return []string{"-trimpath", "-buildvcs=false", "-gcflags=all=-dwarf=false"}
}

// patience is how long a test waits for a process. A test that passes never
// waits that long.
const patience = time.Minute

// result is the outcome of a command.
type result struct {
	stdout, stderr string
	status         int
}

// command runs a command to its end.
func command(t *testing.T, args ...string) result {
	t.Helper()
	return commandIn(t, nil, args...)
}

// commandIn runs one with additional environment variables.
func commandIn(t *testing.T, env []string, args ...string) result {
	t.Helper()
	return commandWithin(t, patience, env, args...)
}

// commandWithin runs one that may take longer.
func commandWithin(t *testing.T, limit time.Duration, env []string, args ...string) result {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, binary, args...)
	cmd.Env = append(environment(), env...)
	// A command that hangs prints where.
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGQUIT) }
	cmd.WaitDelay = 5 * time.Second
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	if _, exited := errors.AsType[*exec.ExitError](err); err != nil && !exited || ctx.Err() != nil {
		t.Fatalf("conclave %v: %v\n%s", args, err, stderr.String())
	}
	return result{stdout.String(), stderr.String(), cmd.ProcessState.ExitCode()}
}

// environment is this process's, without settings of the service.
func environment() []string {
	var out []string
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "CONCLAVE_") {
			out = append(out, v)
		}
	}
	return out
}

// administrate runs a command that must succeed, on the data of a database, and
// decodes the JSON it prints.
func administrate(t *testing.T, where db.Config, out any, args ...string) {
	t.Helper()
	r := command(t, append(args, append(at(where), "--json")...)...)
	if r.status != 0 || r.stderr != "" {
		t.Fatalf("conclave %v: status %d, %s", args, r.status, r.stderr)
	}
	dec := json.NewDecoder(strings.NewReader(r.stdout))
	dec.DisallowUnknownFields()
	if err := dec.Decode(out); err != nil {
		t.Fatalf("conclave %v printed %s: %v", args, r.stdout, err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) || strings.Count(r.stdout, "\n") != 1 {
		t.Errorf("conclave %v printed more than one line of JSON: %s", args, r.stdout)
	}
}

// at makes the arguments that name a database.
func at(where db.Config) []string {
	args := []string{"--data", where.Dir}
	if where.URL != "" {
		args = append(args, "--database-url", where.URL)
	}
	return args
}

// process is a running service.
type process struct {
	t     *testing.T
	cmd   *exec.Cmd
	url   string
	out   *lines
	log   *lines
	ended chan struct{}
	err   error
}

// lines keeps what a process writes and reports lines that match.
type lines struct {
	mu    sync.Mutex
	text  []string
	wants *regexp.Regexp
	found chan []string
}

func (l *lines) read(r io.Reader) {
	scanner := bufio.NewScanner(r)
	scanner.Buffer(nil, 1<<20)
	for scanner.Scan() {
		l.mu.Lock()
		l.text = append(l.text, scanner.Text())
		if m := l.wants.FindStringSubmatch(scanner.Text()); m != nil {
			select {
			case l.found <- m:
			default:
			}
		}
		l.mu.Unlock()
	}
}

// Write keeps what is written, which is one or more lines.
func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.text = append(l.text, strings.TrimSuffix(string(p), "\n"))
	return len(p), nil
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Join(l.text, "\n")
}

// start starts serve or dev on a database and waits until it answers. It ends
// with the test at the latest.
func start(t *testing.T, what string, where db.Config, args ...string) *process {
	t.Helper()
	return startProgram(t, binary, what, where, args...)
}

// startProgram starts another version of the program.
func startProgram(t *testing.T, program, what string, where db.Config, args ...string) *process {
	t.Helper()
	args = append(append([]string{
		what, "--listen", "127.0.0.1:0", "--media-udp-port", "0", "--media-tcp-port", "0", "--media-node-ip", "127.0.0.1", "--rate-limits", "off",
	}, at(where)...), args...)
	p := &process{
		t: t, cmd: exec.Command(program, args...), ended: make(chan struct{}),
		out: &lines{wants: regexp.MustCompile(`API key +(\S+)`), found: make(chan []string, 1)},
		log: &lines{wants: regexp.MustCompile(`the service answers.* listen=(\S+)`), found: make(chan []string, 1)},
	}
	p.cmd.Env = environment()
	outs, err := p.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	errs, err := p.cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		defer close(p.ended)
		var reading sync.WaitGroup
		reading.Go(func() { p.out.read(outs) })
		reading.Go(func() { p.log.read(errs) })
		reading.Wait() // before Wait, which closes the pipes
		p.err = p.cmd.Wait()
	}()
	t.Cleanup(func() {
		_ = p.cmd.Process.Kill()
		<-p.ended
	})
	select {
	case m := <-p.log.found:
		p.url = "http://" + m[1]
	case <-p.ended:
		t.Fatalf("conclave %v ended: %v\n%s", args, p.err, p.log)
	case <-time.After(patience):
		t.Fatalf("conclave %v does not answer\n%s", args, p.log)
	}
	return p
}

// wait waits until the process has ended and returns its exit status.
func (p *process) wait() int {
	p.t.Helper()
	select {
	case <-p.ended:
	case <-time.After(patience):
		p.t.Fatalf("the process does not end\n%s", p.log)
	}
	return p.cmd.ProcessState.ExitCode()
}

// stop stops the process and checks that it exits properly.
func (p *process) stop() {
	p.t.Helper()
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		p.t.Fatal(err)
	}
	if status := p.wait(); status != 0 {
		p.t.Errorf("after SIGTERM the exit status is %d\n%s", status, p.log)
	}
}

// call sends a request and returns the status and the body.
func (p *process) call(method, path, bearer, body string) (int, []byte) {
	p.t.Helper()
	res, err := p.send(method, path, bearer, body)
	if err != nil {
		p.t.Fatalf("%s %s: %v\n%s", method, path, err, p.log)
	}
	defer func() { _ = res.Body.Close() }()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		p.t.Fatalf("%s %s: %v", method, path, err)
	}
	return res.StatusCode, text
}

func (p *process) send(method, path, bearer, body string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(p.t.Context(), method, p.url+path, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	if bearer != "" {
		req.Header.Set("Authorization", "Bearer "+bearer)
	}
	req.Header.Set("Content-Type", "application/json")
	return http.DefaultClient.Do(req)
}

// get sends a request that must succeed and decodes the answer.
func (p *process) get(path, bearer string, out any) {
	p.t.Helper()
	status, body := p.call(http.MethodGet, path, bearer, "")
	if status != http.StatusOK {
		p.t.Fatalf("GET %s: %d %s", path, status, body)
	}
	if err := json.Unmarshal(body, out); err != nil {
		p.t.Fatalf("GET %s: %v in %s", path, err, body)
	}
}

// newKey makes a workspace and a key with every scope, on the command line.
func newKey(t *testing.T, where db.Config) (workspace, key string) {
	t.Helper()
	var w struct {
		ID    string         `json:"id"`
		Name  string         `json:"name"`
		Owner map[string]any `json:"owner"`
	}
	administrate(t, where, &w, "workspaces", "create", "--name", "Acme", "--owner", "Owner@Acme.example")
	var k map[string]any
	administrate(t, where, &k, "keys", "create", "--workspace", w.ID, "--scopes", "all")
	key, _ = k["key"].(string)
	return w.ID, key
}
