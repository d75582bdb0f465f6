package livekit

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"os"
	"os/signal"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/livekit/protocol/livekit"
	"github.com/livekit/protocol/logger"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/common/expfmt"
)

// ChildCommand is the only argument with which this program is started again as
// the media server.
const ChildCommand = "media"

// childStop bounds how long a child takes to stop by itself.
const childStop = 5 * time.Second

// RunIfChild runs the media server and exits if this process was started as
// one; otherwise it returns at once. Embed starts the calling program again, so
// every program that calls Embed calls RunIfChild first, and so does TestMain
// of every package whose tests call Embed.
func RunIfChild() {
	if !isChild(os.Args) {
		return
	}
	words := os.Stdout
	os.Stdout = os.Stderr // output printed by a library must not mix with ours
	if err := serve(os.Stdin, words); err != nil {
		_, _ = fmt.Fprintln(os.Stderr, "conclave:", err)
		os.Exit(1)
	}
	os.Exit(0)
}

func isChild(args []string) bool { return len(args) == 2 && args[1] == ChildCommand }

// serve is the life of the child. It reads its order from in, runs LiveKit, and
// returns when in ends, which also happens when the parent is killed.
func serve(in io.Reader, out io.Writer) error {
	// A terminal and a service manager signal the whole process group. The
	// parent says goodbye to people first and then stops this process itself.
	signal.Ignore(syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	lines := bufio.NewReader(in)
	var o order
	first, err := lines.ReadBytes('\n')
	if err != nil || json.Unmarshal(first, &o) != nil {
		return errors.New("this command is internal: the service starts its media server with it")
	}
	nameProcess()
	parent := &speaker{out: out}
	guard, held := &guard{}, newRoster()
	log := parent.logger(o.Level)
	logger.SetLogger(bridge{log: log, guard: guard, rooms: held, repeats: newRepeats(log)}, "livekit")
	node, err := start(context.Background(), o.Config, o.HintsURL)
	if err != nil {
		return errors.Join(err, parent.say(word{Failed: err.Error()}))
	}
	guard.watch(node.RoomManager())
	if err := parent.say(word{Ready: true}); err != nil {
		return err
	}
	leave := join(node, o.Config, held, parent)
	defer leave()
	asked := make(chan error, 1)
	people := func() int { return held.people(context.Background(), node.RoomManager()) }
	go func() { asked <- respond(lines, parent, people, node.drain) }()
	select {
	case err := <-node.ended:
		return fmt.Errorf("LiveKit ended by itself: %w", err)
	case err := <-asked:
		leave()
		return errors.Join(err, stop(node))
	}
}

// join makes a node compare its rooms with those of its cluster, if it is in
// one. leave ends that.
func join(n *node, c EmbedConfig, held *roster, parent *speaker) (leave func()) {
	if c.Redis.Address == "" {
		return func() {}
	}
	ctx, cancel := context.WithCancel(context.Background())
	var keeping sync.WaitGroup
	cluster := newCluster(c, n.local, n.RoomManager(), held, news{
		lost:     func(rooms []string) { _ = parent.say(word{Lost: rooms}) },
		nodes:    func(addresses []netip.AddrPort) { _ = parent.say(word{Nodes: addresses}) },
		identity: func(id string) { _ = parent.say(word{Identity: id}) },
		settled:  func(is bool) { _ = parent.say(word{Settled: &is}) },
	})
	keeping.Go(func() { cluster.keep(ctx) })
	return func() { cancel(); keeping.Wait() }
}

// stop disconnects everybody and stops LiveKit.
func stop(node *node) error {
	stopped := make(chan struct{})
	go func() {
		node.Stop(true)
		close(stopped)
	}()
	select {
	case <-stopped:
		return nil
	case <-time.After(childStop):
		return errors.New("LiveKit did not stop in time")
	}
}

// drain says to the nodes of the cluster whether this one takes new rooms. They read
// it within two seconds, when LiveKit writes its entry in Redis anew.
func (n *node) drain(draining bool) {
	state := livekit.NodeState_SERVING
	if draining {
		state = livekit.NodeState_SHUTTING_DOWN
	}
	n.local.SetState(state)
}

// respond answers the parent's questions until there are no more, and passes on
// whether the node drains.
func respond(lines *bufio.Reader, parent *speaker, people func() int, drain func(bool)) error {
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return nil //nolint:nilerr // the parent wants this process to stop, or is gone
		}
		var q question
		if err := json.Unmarshal(line, &q); err != nil {
			return fmt.Errorf("read the parent's question: %w", err)
		}
		switch {
		case q.Draining != nil:
			drain(*q.Draining)
			continue
		case q.People != 0:
			err = parent.say(word{Answer: &answer{Number: q.People, People: people()}})
		default:
			err = parent.say(word{Answer: &answer{Number: q.Metrics, Metrics: gather()}})
		}
		if err != nil {
			return err
		}
	}
}

// gather encodes the metrics of this process. Metrics of Go and of the process
// have the same names in the parent, and so get a label.
func gather() string {
	families, err := prometheus.DefaultGatherer.Gather() // an error can come with families that are usable
	var out bytes.Buffer
	for _, family := range families {
		if strings.HasPrefix(family.GetName(), "go_") || strings.HasPrefix(family.GetName(), "process_") {
			label(family)
		}
		if _, werr := expfmt.MetricFamilyToText(&out, family); werr != nil {
			err = errors.Join(err, werr)
		}
	}
	if err != nil {
		logger.Warnw("the metrics cannot be gathered", err)
	}
	return out.String()
}

// nameProcess names the process in lists of processes, if possible: it was
// started from a link with a meaningless name. It also makes the system end
// this process rather than the parent when memory runs out, because the parent
// starts it again.
func nameProcess() {
	_ = os.WriteFile("/proc/self/comm", []byte("conclave-media"), 0)
	_ = os.WriteFile("/proc/self/oom_score_adj", []byte("500"), 0)
}
