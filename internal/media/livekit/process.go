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

// errEnded is the error of a question that a child did not answer before it
// ended.
var errEnded = errors.New("the media server's process has ended")

// readRestFor bounds how long the pipes of a child that has ended are still read. It
// has no children of its own that could keep them open.
const readRestFor = 2 * time.Second

// child is the parent's view of one process that runs LiveKit.
type child struct {
	log    *slog.Logger
	secret string
	cmd    *exec.Cmd
	stdin  io.WriteCloser
	trace  trace
	ready  chan struct{} // closed when it answers
	ended  chan struct{} // closed when it has ended and was waited for
	tell   news

	writing sync.Mutex // one line at a time; not mu, because a child that hangs does not read

	mu      sync.Mutex // guards the fields below
	failed  string     // why it could not start, as it said
	asked   int
	answers map[int]chan answer
}

// launch starts this program again as the media server and sends it its order.
func launch(o order, log *slog.Logger, tell news) (*child, error) {
	if isChild(os.Args) { // or each child would start another one
		return nil, errors.New("this process was started as a media server: the program has to call RunIfChild first")
	}
	program, err := executable()
	if err != nil {
		return nil, fmt.Errorf("find this program: %w", err)
	}
	c := &child{
		log: log.With("from", "livekit"), secret: o.Config.APISecret,
		ready: make(chan struct{}), ended: make(chan struct{}), answers: map[int]chan answer{}, tell: tell,
	}
	c.cmd = &exec.Cmd{
		Path: program, Args: []string{"conclave", ChildCommand}, Env: environment(os.Environ()), SysProcAttr: attributes(),
		Stdout: &listener{handle: c.handle, log: log}, Stderr: &c.trace, WaitDelay: readRestFor,
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

// live starts the process and waits until it has ended. The system kills a
// child when the thread that started it ends, so this thread stays locked to
// it.
func (c *child) live(started chan<- error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	err := c.cmd.Start()
	started <- err
	if err != nil {
		return
	}
	_ = c.cmd.Wait() // ProcessState says how it ended
	close(c.ended)
}

// passed are the variables that Go's runtime itself reads. Nothing else is
// passed to the child: other variables are settings of the service, and some of
// them are secrets.
var passed = []string{ //nolint:gochecknoglobals // a constant list
	"PATH", "HOME", "TZ", "TMPDIR", "SSL_CERT_FILE", "SSL_CERT_DIR",
	"GODEBUG", "GOGC", "GOMAXPROCS", "GOMEMLIMIT", "GORACE", "GOTRACEBACK", "GOCOVERDIR",
}

// environment filters an environment for a child.
func environment(all []string) []string {
	out := []string{} // nil would pass everything
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

// handle processes one word of the child.
func (c *child) handle(w word) {
	switch {
	case w.Log != nil:
		if err := relate(c.log, w.Log); err != nil {
			c.log.Warn("a line of the media server's log was lost", "error", err)
		}
	case w.Answer != nil:
		c.mu.Lock()
		asking := c.answers[w.Answer.Number]
		delete(c.answers, w.Answer.Number)
		c.mu.Unlock()
		if asking != nil {
			asking <- *w.Answer
		}
	case w.Lost != nil:
		c.tell.lost(w.Lost)
	case w.Nodes != nil:
		c.tell.nodes(w.Nodes)
	case w.Identity != "":
		c.tell.identity(w.Identity)
	case w.Settled != nil:
		c.tell.settled(*w.Settled)
	case w.Ready:
		close(c.ready)
	case w.Failed != "":
		c.mu.Lock()
		c.failed = w.Failed
		c.mu.Unlock()
	}
}

// metrics asks the child for its metrics.
func (c *child) metrics(ctx context.Context) (string, error) {
	a, err := c.ask(ctx, func(number int) question { return question{Metrics: number} })
	return a.Metrics, err
}

// people asks the child how many people are in its rooms.
func (c *child) people(ctx context.Context) (int, error) {
	a, err := c.ask(ctx, func(number int) question { return question{People: number} })
	return a.People, err
}

// ask sends the child a question with a number and waits for the answer.
func (c *child) ask(ctx context.Context, ask func(number int) question) (answer, error) {
	answered := make(chan answer, 1)
	c.mu.Lock()
	c.asked++
	number := c.asked
	c.answers[number] = answered
	c.mu.Unlock()
	defer func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.answers, number)
	}()
	if err := c.write(ask(number)); err != nil {
		return answer{}, errEnded
	}
	select {
	case a := <-answered:
		return a, nil
	case <-c.ended:
		return answer{}, errEnded
	case <-ctx.Done():
		return answer{}, context.Cause(ctx)
	}
}

// drain tells the child whether new rooms should go to other nodes. It does nothing
// after the child has ended.
func (c *child) drain(draining bool) { _ = c.write(question{Draining: &draining}) }

// write sends the child one line.
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

// await waits until the child answers. If it does not, or not in time, it has
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

// kill ends the child and waits until it has ended.
func (c *child) kill() {
	_ = c.cmd.Process.Kill()
	<-c.ended
}

// stop asks the child to stop, and kills it when ctx is done. It fails unless
// the child stopped by itself.
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

// status is how a child ended: "exit status 2", "signal: killed".
func (c *child) status() string {
	if status, ok := c.cmd.ProcessState.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return "signal: " + status.Signal().String()
	}
	return c.cmd.ProcessState.String()
}
