package livekit

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net"
	"net/netip"
	"strconv"
	"time"

	"github.com/livekit/livekit-server/pkg/config"
	"github.com/livekit/livekit-server/pkg/routing"
	"github.com/livekit/livekit-server/pkg/service"
	"github.com/livekit/livekit-server/pkg/sfu"
	"github.com/livekit/livekit-server/pkg/telemetry/prometheus"
	"github.com/livekit/protocol/xtls"
)

// EmbedConfig says how LiveKit runs in a child process. The child receives all
// of it but the logger.
type EmbedConfig struct {
	APIKey    string // key pair for the room API and tokens, which no client ever sees
	APISecret string // at least 32 characters

	HTTPPort int // loopback port for signalling and the room API; 0: any free one
	UDPPort  int // media, all of it on this one port; 0: any free one
	TCPPort  int // media where UDP is blocked; 0: off. It binds every interface.

	// NodeIP is the address at which devices reach this machine. Empty: the
	// address from which this machine sends. A loopback address, or a machine
	// without a network, serves only this machine.
	NodeIP string
	// IPs (CIDRs) and Interfaces say where media is received. Empty: where
	// NodeIP leads, and on every address of the other IP version. With several
	// addresses of NodeIP's version, only one of those advertised works.
	IPs        []string
	Interfaces []string

	Redis Redis // set: this is one node of a cluster
	// ClusterIdentity is what Redis.Identity said; "": nobody needs it.
	ClusterIdentity string

	TURN TURN // the TURN servers for devices

	local netip.Addr // where media for NodeIP is received

	EmptyTimeout     time.Duration // 0: DefaultEmptyTimeout
	DepartureTimeout time.Duration // 0: DefaultDepartureTimeout

	Logger *slog.Logger `json:"-"`
	// AskEvery is the interval at which the child is asked whether it still
	// answers; 0: DefaultAskEvery.
	AskEvery time.Duration
}

// Redis connects the nodes of a cluster.
type Redis struct {
	Address  string // host and port
	Username string
	Password string
	Database int
	TLS      bool

	// Sentinel knows which Redis is the master. Address is then that of a sentinel.
	Master           string // its name; "": there is no sentinel
	Sentinels        string // the addresses of the others, separated by commas
	SentinelPassword string
}

// node is a LiveKit that runs in this process.
type node struct {
	*service.LivekitServer

	local routing.LocalNode
	ended <-chan error // receives the error with which it ends
}

// start runs one LiveKit node in this process and waits until it listens.
func start(ctx context.Context, c EmbedConfig, hintsURL string) (*node, error) {
	conf, err := c.livekit(hintsURL)
	if err != nil {
		return nil, fmt.Errorf("configure: %w", err)
	}
	local, err := routing.NewLocalNode(conf)
	if err != nil {
		return nil, fmt.Errorf("name the node: %w", err)
	}
	if err := prometheus.Init(string(local.NodeID()), local.NodeType()); err != nil {
		return nil, fmt.Errorf("start metrics: %w", err)
	}
	server, err := service.InitializeServer(conf, local)
	if err != nil {
		return nil, fmt.Errorf("initialise: %w", err)
	}
	ended := make(chan error, 1)
	go func() { ended <- server.Start() }()

	poll := time.NewTicker(5 * time.Millisecond) // LiveKit has no signal for being ready
	defer poll.Stop()
	for !server.IsRunning() {
		select {
		case err := <-ended:
			return nil, fmt.Errorf("start: %w", err)
		case <-ctx.Done():
			return nil, fmt.Errorf("start: %w", context.Cause(ctx))
		case <-poll.C:
		}
	}
	return &node{server, local, ended}, nil
}

// livekit translates the configuration to LiveKit's.
func (c EmbedConfig) livekit(hintsURL string) (*config.Config, error) {
	// LiveKit completes the text before we can set fields. Without an address
	// in it, LiveKit would ask the internet for one.
	conf, err := config.NewConfig("rtc:\n  node_ip: "+c.NodeIP+"\n", true, nil, nil)
	if err != nil {
		return nil, err
	}
	conf.Port = uint32(c.HTTPPort)
	conf.BindAddresses = []string{"127.0.0.1"}
	conf.Keys = map[string]string{c.APIKey: c.APISecret}
	conf.WebHook.URLs = []string{hintsURL}
	conf.WebHook.APIKey = c.APIKey
	conf.Redis.Address, conf.Redis.DB = c.Redis.Address, c.Redis.Database
	if c.Redis.Master != "" {
		conf.Redis.Address, conf.Redis.SentinelAddresses = "", c.Redis.sentinels()
		conf.Redis.MasterName, conf.Redis.SentinelPassword = c.Redis.Master, c.Redis.SentinelPassword
	}
	conf.Redis.Username, conf.Redis.Password = c.Redis.Username, c.Redis.Password
	if c.Redis.Address != "" {
		// Signalling passes through Redis, also on the node that holds the room.
		// LiveKit sends each message again until it arrives. By default it gives
		// up after 7.5 s, which separates everybody from their meeting when Redis
		// is away. The gates notice by themselves when a node is dead.
		conf.SignalRelay.RetryTimeout, conf.SignalRelay.MaxRetryInterval = signalPatience, time.Second
		conf.NodeSelector = newRooms()
	}
	if c.Redis.TLS {
		conf.Redis.TLS = &xtls.Config{Enabled: true}
	}

	conf.RTC.UDPPort.Start = c.UDPPort
	conf.RTC.ICEPortRangeStart, conf.RTC.ICEPortRangeEnd = 0, 0
	conf.RTC.TCPPort = uint32(c.TCPPort)
	conf.RTC.IPs.Includes = c.IPs
	conf.RTC.Interfaces.Includes = c.Interfaces
	conf.RTC.EnableLoopbackCandidate = netip.MustParseAddr(c.NodeIP).IsLoopback()
	conf.RTC.STUNServers = c.stunServers()
	conf.RTC.PrflxAcceptanceMinWait = foundAddressWait
	conf.RTC.PLIThrottle = sfu.PLIThrottleConfig{LowQuality: keyFramePause, MidQuality: keyFramePause, HighQuality: keyFramePause}
	conf.RTC.TURNServers = c.TURN.servers(c.NodeIP, turnSecret(c.APISecret))

	conf.Room.AutoCreate = false
	conf.Room.EmptyTimeout = uint32(c.EmptyTimeout / time.Second)
	conf.Room.DepartureTimeout = uint32(c.DepartureTimeout / time.Second)
	conf.Room.EnableRemoteUnmute = false
	conf.Room.EnabledCodecs = codecs()
	conf.EnableDataTracks = false
	// A participant's metadata and attributes are sent to everybody in the
	// room. We and stock clients put a few words there; modified clients might
	// use all that is allowed.
	conf.Limit.MaxMetadataSize, conf.Limit.MaxAttributesSize = maxDataBytes, maxDataBytes
	// LiveKit's other list of participants misses people who reconnect before
	// their old connection was cleared away; asking the rooms themselves does
	// not.
	conf.API.EnablePsrpcForGetListParticpants = true
	return conf, conf.ValidateKeys()
}

// foundAddressWait is how long LiveKit waits before it uses an address that it learned
// from a connectivity check. Apart from relays it knows no other addresses: the gate
// passes none on (docs/decisions/0040). By default it waits a second for a better one,
// and so does everybody whose client leaves the choice to it, as Go's does. Zero means
// that default.
const foundAddressWait = time.Nanosecond

// keyFramePause is the shortest time between two requests for a key frame from one
// layer of a sender. A person who lost the first key frame sees nothing until the
// next one, for which LiveKit by default asks only after half a second or a second.
// A pause below 300 ms does not help: browsers ignore a request that comes so soon
// after another one (libwebrtc, EncoderRtcpFeedback), and then the pause begins anew.
const keyFramePause = 400 * time.Millisecond

// signalPatience is how long messages of signalling wait for a Redis that does
// not answer.
const signalPatience = 5 * time.Minute

// busy is the load from which on a node gets no new rooms while others are below it.
// The load is the number of processes that wanted a processor in the last minute, divided
// by the number of processors. The meetings that the node has may still grow.
const busy = 0.7

// newRooms says which node of a cluster gets a new room: any one that is not busy, and
// any one at all when all are busy, so that no meeting is refused. The choice among
// them is random on purpose. Nodes tell their load every two seconds. If the node with
// the least load were chosen, it would get all the rooms of these two seconds, for
// instance all breakout rooms of a large meeting, or all rooms of a node that was lost.
//
// Load is what the system counts, not LiveKit's own measure of processor time: that
// one says 0 for a machine without any idle time (hwstats.CPUStats.GetCPULoad).
func newRooms() config.NodeSelectorConfig {
	return config.NodeSelectorConfig{Kind: "sysload", SysloadLimit: busy, SortBy: "random", Algorithm: "lowest"}
}

// maxDataBytes is the limit in bytes of a participant's metadata, and of their
// attributes together.
const maxDataBytes = 4 << 10

// codecs are those that work with end-to-end encryption and do not endanger the
// media server. AV1 arrives and silently decrypts to nothing. A VP9 packet with
// nothing but a header crashes the process.
func codecs() []config.CodecSpec {
	return []config.CodecSpec{
		{Mime: "audio/opus"},
		{Mime: "audio/red"},
		{Mime: "video/vp8"},
		{Mime: "video/h264"},
		{Mime: "video/rtx"},
	}
}

// completed sets the fields that are empty, and refuses what cannot work.
func (c EmbedConfig) completed(ctx context.Context) (EmbedConfig, error) {
	if c.APIKey == "" || len(c.APISecret) < 32 {
		return c, errors.New("a key and a secret of at least 32 characters are needed")
	}
	if c.Logger == nil {
		return c, errors.New("a logger is needed")
	}
	if c.EmptyTimeout == 0 {
		c.EmptyTimeout = DefaultEmptyTimeout
	}
	if c.DepartureTimeout == 0 {
		c.DepartureTimeout = DefaultDepartureTimeout
	}
	if c.AskEvery == 0 {
		c.AskEvery = DefaultAskEvery
	}
	if c.NodeIP == "" {
		c.NodeIP = outboundIP(ctx).String()
	}
	node, err := netip.ParseAddr(c.NodeIP)
	if err != nil {
		return c, fmt.Errorf("node address: %w", err)
	}
	if len(c.IPs) == 0 && len(c.Interfaces) == 0 {
		if c.local, c.IPs, err = receiveAddresses(ctx, node); err != nil {
			return c, err
		}
	}
	return c.withPorts(ctx)
}

// withPorts finds free ports where none is given.
func (c EmbedConfig) withPorts(ctx context.Context) (EmbedConfig, error) {
	var lc net.ListenConfig
	var err error
	if c.HTTPPort == 0 {
		c.HTTPPort, err = freePort(func(port string) (io.Closer, error) {
			return lc.Listen(ctx, "tcp", net.JoinHostPort("127.0.0.1", port))
		})
		if err != nil {
			return c, err
		}
	}
	if c.UDPPort == 0 {
		c.UDPPort, err = freePort(func(port string) (io.Closer, error) { return lc.ListenPacket(ctx, "udp", ":"+port) })
	}
	return c, err
}

// The range in which free ports are searched: below the ports that systems give
// to programs that ask for any, from 32768 on Linux and from 49152 elsewhere
// (RFC 6335, section 6), and above most of the well-known ones. LiveKit opens a
// port only a moment after it was found free, and cannot report which one it
// got. In this range no other program is given the port meanwhile.
const firstFree, lastFree = 16384, 32767

// freePort finds a port that can be opened.
func freePort(open func(port string) (io.Closer, error)) (int, error) {
	var err error
	for range 100 {
		port := firstFree + rand.IntN(lastFree-firstFree+1)
		var l io.Closer
		if l, err = open(strconv.Itoa(port)); err == nil {
			_ = l.Close()
			return port, nil
		}
	}
	return 0, fmt.Errorf("find a free port: %w", err)
}
