package livekit

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"strconv"
	"sync"
	"time"
)

const (
	// DefaultAskEvery is how often the child is asked whether it answers, and
	// how long it has to do so.
	DefaultAskEvery = 5 * time.Second
	// mostSilences is how many questions in a row a child may leave unanswered before
	// it counts as hung and is killed. On an overloaded machine an answer takes seconds,
	// but not the quarter of a minute that three questions take by default.
	mostSilences = 3
	// startTimeout bounds every start after the first. A start takes a fraction
	// of a second on an idle machine.
	startTimeout = 30 * time.Second
	// longestPause is the longest time between two attempts to start.
	longestPause = 5 * time.Second
)

// End is how the media server ended without being asked to.
type End struct {
	Status string // its exit status, or the signal that ended it
	Trace  string // what it wrote about a panic, without secrets
	Hung   bool   // it no longer answered, and was killed for that
}

// Hooks are called when the child ends or returns, one at a time; these delay
// its next start.
type Hooks struct {
	Ended    func(End) // it ended without being asked to
	Returned func()    // it answers again
	// Lost is called with the rooms of other nodes of the cluster that are dead,
	// again and again until the rooms are elsewhere. It must not block.
	Lost func(rooms []string)
	// Nodes is called with the media addresses of the cluster's nodes, at once and
	// whenever they change. It must not block.
	Nodes func(addresses []netip.AddrPort)
}

// Embedded is a LiveKit server in a child process, which is started again
// whenever it ends.
type Embedded struct {
	*Server

	order    order
	webhooks *http.Server

	mu    sync.Mutex
	hooks Hooks
	child *child // nil while none answers
	nodes []netip.AddrPort

	draining  bool
	unsettled bool   // Redis may not know the rooms of all nodes
	identity  string // of the cluster

	telling sync.Mutex // held while the child is told whether it drains, so that the newest message comes last

	stopOnce sync.Once
	stopping chan struct{}
	stopped  chan struct{} // closed when no child is left
	stopErr  error
	deadline context.Context //nolint:containedctx // passes the bound of a stop from Stop to the supervisor
}

// Embed starts LiveKit and returns when it answers. From then on LiveKit is
// started again whenever it ends, on the same ports, until Stop.
func Embed(ctx context.Context, c EmbedConfig) (*Embedded, error) {
	c, err := c.completed(ctx)
	if err != nil {
		return nil, fmt.Errorf("embed media server: %w", err)
	}
	host := net.JoinHostPort("127.0.0.1", strconv.Itoa(c.HTTPPort))
	server := newServer("ws://"+host, "http://"+host, c.APIKey, c.APISecret, time.Now) //nolint:forbidigo // the clock of this machine, where LiveKit runs
	server.empty, server.departure = c.EmptyTimeout, c.DepartureTimeout

	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("embed media server: listen for hints: %w", err)
	}
	e := &Embedded{
		Server:   server,
		order:    order{Config: c, HintsURL: "http://" + listener.Addr().String(), Level: lowest(c.Logger)},
		webhooks: &http.Server{Handler: server.hints, ReadHeaderTimeout: callTimeout},
		stopping: make(chan struct{}), stopped: make(chan struct{}),
		identity: c.ClusterIdentity,
	}
	go func() { _ = e.webhooks.Serve(listener) }() // Stop ends it

	first, err := e.start(ctx)
	if err != nil {
		_ = e.webhooks.Close()
		return nil, fmt.Errorf("embed media server: %w", err)
	}
	go e.supervise(first)
	return e, nil
}

// SetHooks replaces the hooks.
func (e *Embedded) SetHooks(h Hooks) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.hooks = h
	if h.Nodes != nil {
		h.Nodes(e.nodes)
	}
}

// SetDraining says whether new rooms should go to other nodes of the cluster. Rooms
// that this node has stay. Without other nodes that take rooms, none can be made.
func (e *Embedded) SetDraining(draining bool) {
	e.telling.Lock()
	defer e.telling.Unlock()
	e.mu.Lock()
	c := e.child
	e.draining = draining
	e.mu.Unlock()
	if c != nil {
		c.drain(draining)
	}
}

// Process is the id of the media server's process; 0 while there is none.
func (e *Embedded) Process() int {
	if c := e.running(); c != nil {
		return c.cmd.Process.Pid
	}
	return 0
}

// Ready says whether the media server answers.
func (e *Embedded) Ready(ctx context.Context) error {
	if e.running() == nil {
		return errAway
	}
	if err := e.agreed(); err != nil {
		return err
	}
	return e.Server.Ready(ctx)
}

// Stop disconnects everybody and stops the server. It kills the server when ctx
// is done, and may be called again.
func (e *Embedded) Stop(ctx context.Context) error {
	e.stopOnce.Do(func() {
		e.deadline = ctx
		close(e.stopping)
	})
	select {
	case <-e.stopped:
	case <-ctx.Done():
		<-e.stopped // the supervisor kills the child as soon as the first caller's context is done
	}
	if e.stopErr != nil {
		return fmt.Errorf("stop media server: %w", e.stopErr)
	}
	return nil
}

func (e *Embedded) running() *child {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.child
}

// start starts one child and waits until it answers.
func (e *Embedded) start(ctx context.Context) (*child, error) {
	o := e.order
	o.Config.ClusterIdentity = e.ClusterIdentity()
	c, err := launch(o, o.Config.Logger, news{lost: e.lost, nodes: e.heardOf, identity: e.identified, settled: e.settled})
	if err != nil {
		return nil, err
	}
	if err := c.await(ctx); err != nil {
		return nil, err
	}
	e.present(c)
	e.order.Config.Logger.InfoContext(ctx, "the media server runs", "process", c.cmd.Process.Pid,
		"udp_port", e.order.Config.UDPPort, "tcp_port", e.order.Config.TCPPort)
	return c, nil
}

// present makes a child that answers the running one, and tells it whether it drains.
func (e *Embedded) present(c *child) {
	e.telling.Lock()
	defer e.telling.Unlock()
	e.mu.Lock()
	e.child, e.unsettled = c, false
	draining := e.draining
	e.mu.Unlock()
	if draining {
		c.drain(true)
	}
}

// supervise keeps a media server running until Stop.
func (e *Embedded) supervise(c *child) {
	defer close(e.stopped)
	defer func() { _ = e.webhooks.Close() }()
	for c != nil {
		hung, asked := e.watch(c)
		if asked {
			// LiveKit waits five seconds for a connection that has not carried a request.
			e.client.CloseIdleConnections()
			e.stopErr = c.stop(e.deadline)
			return
		}
		e.ended(c, hung)
		if c = e.again(); c != nil {
			e.returned()
		}
	}
}

// watch returns when a child has ended, and whether it hung, or when Stop was
// called.
func (e *Embedded) watch(c *child) (hung, stop bool) {
	tick := time.NewTicker(e.order.Config.AskEvery)
	defer tick.Stop()
	answered := make(chan bool, 1)
	for silences := 0; silences < mostSilences; {
		select {
		case <-e.stopping:
			return false, true
		case <-c.ended:
			return false, false
		case <-tick.C:
			go func() { answered <- e.ask(e.order.Config.AskEvery) }()
		}
		select {
		case <-e.stopping:
			return false, true
		case <-c.ended:
			return false, false
		case ok := <-answered:
			if silences++; ok {
				silences = 0
			}
		}
	}
	c.kill()
	return true, false
}

// ask says whether the media server answers within a time.
func (e *Embedded) ask(within time.Duration) bool {
	ctx, cancel := context.WithTimeout(context.Background(), within)
	defer cancel()
	return e.alive(ctx) == nil
}

// ended reports that a child has ended.
func (e *Embedded) ended(c *child, hung bool) {
	end := End{Status: c.status(), Trace: c.trace.without(c.secret), Hung: hung}
	e.mu.Lock()
	e.child = nil
	tell := e.hooks.Ended
	e.mu.Unlock()
	e.order.Config.Logger.Error("the media server ended and is started again", "process", c.cmd.Process.Pid,
		"status", end.Status, "hung", end.Hung, "trace", end.Trace)
	if tell != nil {
		tell(end)
	}
}

func (e *Embedded) lost(rooms []string) {
	e.mu.Lock()
	tell := e.hooks.Lost
	e.mu.Unlock()
	if tell != nil {
		tell(rooms)
	}
}

func (e *Embedded) heardOf(nodes []netip.AddrPort) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.nodes = nodes
	if e.hooks.Nodes != nil {
		e.hooks.Nodes(nodes)
	}
}

func (e *Embedded) settled(is bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.unsettled = !is
}

func (e *Embedded) identified(id string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.identity = id
}

// ClusterIdentity is that of the media server's cluster: the configured one, or one that
// its Redis has by now. "": it is not in a cluster, or nobody needs the identity.
func (e *Embedded) ClusterIdentity() string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.identity
}

// returned reports that a child answers again. Stop does not wait for the hook, which
// may hang: the service asks its database.
func (e *Embedded) returned() {
	e.mu.Lock()
	tell := e.hooks.Returned
	e.mu.Unlock()
	if tell == nil {
		return
	}
	told := make(chan struct{})
	go func() {
		defer close(told)
		tell()
	}()
	select {
	case <-told:
	case <-e.stopping:
	}
}

// again starts children until one answers; it returns nil if Stop is called
// first.
func (e *Embedded) again() *child {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go func() {
		select {
		case <-e.stopping:
			cancel()
		case <-ctx.Done():
		}
	}()
	for failed := 0; ; failed++ {
		wait := time.NewTimer(pause(failed))
		select {
		case <-wait.C:
		case <-ctx.Done():
			wait.Stop()
			return nil
		}
		starting, done := context.WithTimeout(ctx, startTimeout)
		c, err := e.start(starting)
		done()
		if err == nil {
			return c
		}
		if ctx.Err() != nil {
			return nil
		}
		e.order.Config.Logger.ErrorContext(ctx, "the media server does not start; trying again", "error", err, "attempt", failed+1)
	}
}

// pause is the time before the next start, after a number of failed ones in a row:
// none at first, then 0.25 s, doubling each time up to 5 s.
func pause(failed int) time.Duration {
	if failed == 0 {
		return 0
	}
	return min(250*time.Millisecond<<min(failed-1, 10), longestPause)
}
