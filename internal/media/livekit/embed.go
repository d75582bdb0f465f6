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
	"github.com/livekit/livekit-server/pkg/telemetry/prometheus"
	"github.com/livekit/protocol/xtls"
)

// EmbedConfig says how LiveKit runs in a child process. All of it but the
// logger is handed to the child.
type EmbedConfig struct {
	APIKey    string // upstream key pair, which no client ever sees
	APISecret string // at least 32 characters

	HTTPPort int // loopback port for signalling and the room API; 0: any free one
	UDPPort  int // media, all of it on this one port; 0: any free one
	TCPPort  int // media where UDP is blocked; 0: off. It binds every interface.

	// NodeIP is the address people's devices reach this machine at. Empty: the
	// address this machine sends from. A loopback address, or a machine without
	// a network, serves this machine alone.
	NodeIP string
	// IPs (CIDRs) and Interfaces say where media is taken. Empty: where NodeIP
	// leads, and on every address of the other IP version. Taken on several
	// addresses of NodeIP's version, all but one are advertised in vain.
	IPs        []string
	Interfaces []string

	Redis Redis // set: one node of a cluster

	EmptyTimeout     time.Duration // 0: DefaultEmptyTimeout
	DepartureTimeout time.Duration // 0: DefaultDepartureTimeout

	Logger *slog.Logger `json:"-"`
	// AskEvery is how often the child is asked whether it still answers; 0:
	// DefaultAskEvery.
	AskEvery time.Duration
}

// Redis is where the nodes of a cluster find each other.
type Redis struct {
	Address  string // host and port
	Username string
	Password string
	Database int
	TLS      bool
}

// start runs one LiveKit node in this process and waits until it listens. What
// it gives beside the node tells when the node has ended.
func start(ctx context.Context, c EmbedConfig, hintsURL string) (*service.LivekitServer, <-chan error, error) {
	conf, err := c.livekit(hintsURL)
	if err != nil {
		return nil, nil, fmt.Errorf("configure: %w", err)
	}
	local, err := routing.NewLocalNode(conf)
	if err != nil {
		return nil, nil, fmt.Errorf("name the node: %w", err)
	}
	if err := prometheus.Init(string(local.NodeID()), local.NodeType()); err != nil {
		return nil, nil, fmt.Errorf("start metrics: %w", err)
	}
	node, err := service.InitializeServer(conf, local)
	if err != nil {
		return nil, nil, fmt.Errorf("initialise: %w", err)
	}
	ended := make(chan error, 1)
	go func() { ended <- node.Start() }()

	poll := time.NewTicker(5 * time.Millisecond) // LiveKit has no signal for being ready
	defer poll.Stop()
	for !node.IsRunning() {
		select {
		case err := <-ended:
			return nil, nil, fmt.Errorf("start: %w", err)
		case <-ctx.Done():
			return nil, nil, fmt.Errorf("start: %w", context.Cause(ctx))
		case <-poll.C:
		}
	}
	return node, ended, nil
}

// livekit writes the configuration in LiveKit's own words.
func (c EmbedConfig) livekit(hintsURL string) (*config.Config, error) {
	// LiveKit completes the text before we can set fields: without an address
	// in it, it would go looking for one on the internet.
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
	conf.Redis.Username, conf.Redis.Password = c.Redis.Username, c.Redis.Password
	if c.Redis.TLS {
		conf.Redis.TLS = &xtls.Config{Enabled: true}
	}

	conf.RTC.UDPPort.Start = c.UDPPort
	conf.RTC.ICEPortRangeStart, conf.RTC.ICEPortRangeEnd = 0, 0
	conf.RTC.TCPPort = uint32(c.TCPPort)
	conf.RTC.IPs.Includes = c.IPs
	conf.RTC.Interfaces.Includes = c.Interfaces
	conf.RTC.EnableLoopbackCandidate = netip.MustParseAddr(c.NodeIP).IsLoopback()
	// With an empty list LiveKit sends every browser to public STUN servers of
	// other companies. Nobody needs STUN to reach a server that has an address:
	// naming our own media port, which answers no such question, keeps devices here.
	conf.RTC.STUNServers = []string{net.JoinHostPort(c.NodeIP, strconv.Itoa(c.UDPPort))}

	conf.Room.AutoCreate = false
	conf.Room.EmptyTimeout = uint32(c.EmptyTimeout / time.Second)
	conf.Room.DepartureTimeout = uint32(c.DepartureTimeout / time.Second)
	conf.Room.EnableRemoteUnmute = false
	conf.Room.EnabledCodecs = codecs()
	conf.EnableDataTracks = false
	// Everybody in a room is sent what others say of themselves. We and stock
	// clients put a few words there, modified ones might put as much as they may.
	conf.Limit.MaxMetadataSize, conf.Limit.MaxAttributesSize = mostSaid, mostSaid
	// The list kept beside the rooms loses somebody who came back before their
	// old connection was cleared away; the rooms themselves do not.
	conf.API.EnablePsrpcForGetListParticpants = true
	return conf, conf.ValidateKeys()
}

// mostSaid is how many bytes somebody's metadata may have, and their attributes
// together.
const mostSaid = 4 << 10

// codecs are those that survive end-to-end encryption and that the media server
// survives. AV1 arrives, decrypts to nothing, and says nothing. A VP9 packet
// that is nothing but its header ends the process.
func codecs() []config.CodecSpec {
	return []config.CodecSpec{
		{Mime: "audio/opus"},
		{Mime: "audio/red"},
		{Mime: "video/vp8"},
		{Mime: "video/h264"},
		{Mime: "video/rtx"},
	}
}

// completed fills in what was left open, and refuses what cannot work.
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
		if c.IPs, err = takenAt(ctx, node); err != nil {
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

// Where free ports are looked for: below those that systems give to whoever
// asks for any, from 32768 on Linux and from 49152 elsewhere (RFC 6335,
// section 6), and above most of those that services are known by. LiveKit
// opens a port only a moment after it was found to be free, and cannot say
// which one it got; here nobody else is given it meanwhile.
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
