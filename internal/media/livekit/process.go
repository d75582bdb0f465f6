package livekit

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"time"
)

// errEnded is why a question has no answer.
var errEnded = errors.New("the media server's process has ended")

// lastWords bounds how long the pipes of a child that has ended are read. It
// has no children of its own that could hold them open.
const lastWords = 2 * time.Second

// child is one process that runs LiveKit, as its parent sees it.
type child struct {
	log    *slog.Logger
	secret string
	cmd    *exec.Cmd
	stdin  io.WriteCloser
	trace  trace
	ready  chan struct{} // closed when it answers
	ended  chan struct{} // closed when it has ended and was waited for

	writing sync.Mutex // one line at a time; apart, because a child that hangs does not read

	mu      sync.Mutex // guards what follows
	failed  string     // why it could not start, in its own words
	asked   int
	answers map[int]chan string
}

// launch starts this program again as the media server, and gives it its order.
func launch(o order, log *slog.Logger) (*child, error) {
	if isChild(os.Args) { // or each would start the next
		return nil, errors.New("this process was started as a media server: the program has to call RunIfChild first")
	}
	program, err := executable()
	if err != nil {
		return nil, fmt.Errorf("find this program: %w", err)
	}
	c := &child{
		log: log.With("from", "livekit"), secret: o.Config.APISecret,
		ready: make(chan struct{}), ended: make(chan struct{}), answers: map[int]chan string{},
	}
	c.cmd = &exec.Cmd{
		Path: program, Args: []string{"conclave", ChildCommand}, Env: environment(os.Environ()), SysProcAttr: attributes(),
		Stdout: &listener{heed: c.heed, log: log}, Stderr: &c.trace, WaitDelay: lastWords,
	}
	if c.stdin, err = c.cmd.StdinPipe(); err != nil {
		return nil, fmt.Errorf("open a pipe: %w", err)
	}
	started := make(chan error)
	go c.live(started)
	if err := <-started; err != nil {
		return nil, fmt.Errorf("start the media server's process: %w", err)
	}
	if err := c.write(o); err != nil {
		c.kill()
		return nil, fmt.Errorf("order the media server's process: %w", err)
	}
	return c, nil
}

// live starts the process and waits until it has ended. The system ends a
// child together with the thread that started it; so this one stays with the
// child.
func (c *child) live(started chan<- error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	err := c.cmd.Start()
	started <- err
	if err != nil {
		return
	}
	_ = c.cmd.Wait() // how it ended stands in ProcessState
	close(c.ended)
}

// passed are the variables that mean something to Go itself. Everything else
// stays here: settings of the service are among it, and secrets among those.
var passed = []string{ //nolint:gochecknoglobals // a constant list
	"PATH", "HOME", "TZ", "TMPDIR", "SSL_CERT_FILE", "SSL_CERT_DIR",
	"GODEBUG", "GOGC", "GOMAXPROCS", "GOMEMLIMIT", "GORACE", "GOTRACEBACK", "GOCOVERDIR",
}

// environment is what a child gets of an environment.
func environment(all []string) []string {
	out := []string{} // nil would mean everything
	for _, entry := range all {
		name, _, _ := strings.Cut(entry, "=")
		for _, p := range passed {
			if name == p {
				out = append(out, entry)
			}
		}
	}
	return out
}

// heed takes one word of the child's.
func (c *child) heed(w word) {
	switch {
	case w.Log != nil:
		if err := relate(c.log, w.Log); err != nil {
			c.log.Warn("a line of the media server's log is lost", "error", err)
		}
	case w.Metrics != nil:
		c.mu.Lock()
		answer := c.answers[w.Metrics.Number]
		delete(c.answers, w.Metrics.Number)
		c.mu.Unlock()
		if answer != nil {
			answer <- w.Metrics.Text
		}
	case w.Ready:
		close(c.ready)
	case w.Failed != "":
		c.mu.Lock()
		c.failed = w.Failed
		c.mu.Unlock()
	}
}

// metrics asks for the child's metrics.
func (c *child) metrics(ctx context.Context) (string, error) {
	answer := make(chan string, 1)
	c.mu.Lock()
	c.asked++
	number := c.asked
	c.answers[number] = answer
	c.mu.Unlock()
	defer func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.answers, number)
	}()
	if err := c.write(question{Metrics: number}); err != nil {
		return "", errEnded
	}
	select {
	case text := <-answer:
		return text, nil
	case <-c.ended:
		return "", errEnded
	case <-ctx.Done():
		return "", context.Cause(ctx)
	}
}

// write gives the child one line to read.
func (c *child) write(line any) error {
	text, err := json.Marshal(line)
	if err != nil {
		return err
	}
	c.writing.Lock()
	defer c.writing.Unlock()
	_, err = c.stdin.Write(append(text, '\n'))
	return err
}

// await waits until the child answers. One that does not, or not in time, has
// ended when await returns.
func (c *child) await(ctx context.Context) error {
	select {
	case <-c.ready:
		return nil
	case <-c.ended:
	case <-ctx.Done():
		c.kill()
		return fmt.Errorf("the media server's process did not become ready: %w", context.Cause(ctx))
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.failed != "" {
		return errors.New(c.failed)
	}
	return fmt.Errorf("the media server's process ended before it answered, with %s: %s", c.status(), c.trace.without(c.secret))
}

// kill ends the child and waits until it has.
func (c *child) kill() {
	_ = c.cmd.Process.Kill()
	<-c.ended
}

// stop asks the child to stop, and ends it when ctx does. It gives an error
// unless the child stopped properly.
func (c *child) stop(ctx context.Context) error {
	_ = c.stdin.Close() // also ends a write that nobody reads
	select {
	case <-c.ended:
	case <-ctx.Done():
		c.kill()
		return context.Cause(ctx)
	}
	if !c.cmd.ProcessState.Success() {
		return fmt.Errorf("its process ended with %s: %s", c.status(), c.trace.without(c.secret))
	}
	return nil
}

// status is how an ended child ended: "exit status 2", "signal: killed".
func (c *child) status() string {
	if status, ok := c.cmd.ProcessState.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return "signal: " + status.Signal().String()
	}
	return c.cmd.ProcessState.String()
}
