package mediaclient

import (
	"context"
	"crypto/cipher"
	"crypto/x509"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/livekit/protocol/livekit"

	"github.com/conclave-rooms/conclave/internal/media"
)

// Options say how a participant connects.
type Options struct {
	URL        string // ws:// or wss:// address, as the API returns it (server_url)
	Token      string
	Passphrase string // of the end-to-end encryption (e2ee_passphrase)
	Keys       *Keys  // shared with other participants; nil: none are
	TCPOnly    bool   // as on a network that blocks UDP
	// TURN says whether it uses the TURN servers that the media server names.
	TURN TURN
	// Trust has the root certificates of a wss:// address and of TURN servers. nil:
	// those that the system trusts.
	Trust *x509.CertPool
	// Direct connects without the forwarder on loopback that lets Kill cut the
	// signalling, because crowds have no use for it.
	Direct bool
	Half   bool // only the publishing half: never opens the connection on which it would hear others
	// Craft changes its announcements of tracks, as a modified client might.
	Craft func(*livekit.AddTrackRequest)
	// Ignores names people by the part of their identities before the dot. Their
	// packets are received but not decoded, because LiveKit's decoder crashes on
	// some packets of a modified client.
	Ignores []string
	// Join is a newer client's request to join with one connection for both
	// directions, on which this participant only sends. nil: it joins as older
	// clients do.
	Join *livekit.JoinRequest
	// Alter changes requests before they are sent, as a modified client might.
	Alter func(*livekit.SignalRequest)
	// Before is called just before the connection is made. It may wait.
	Before func()
	// Mishear changes messages of the media server before they are handled.
	Mishear func(*livekit.SignalResponse)
}

// Data is one data packet of another participant.
type Data struct {
	Sender  string
	Topic   string
	Payload []byte
}

// Participant is a person in a media room, with sound and pictures. It
// reconnects by itself, with the same session, when it loses the signalling.
type Participant struct {
	key    cipher.AEAD
	wire   *wire
	signal *signal
	pub    *publisher
	sub    *peer
	tally  *tally
	half   bool
	turn   TURN
	ignore []string
	data   chan Data
	ctx    context.Context //nolint:containedctx // the life of the participant
	end    context.CancelFunc
	joined chan struct{}
	gone   chan struct{}

	mu        sync.Mutex // guards the fields below
	me        *livekit.ParticipantInfo
	connected time.Time
	others    map[string]*livekit.ParticipantInfo // by session
	injected  []byte                              // ends frames made by the media server
	leaving   bool
	goneWhy   string
	goneError error
}

// Connect connects a participant, and returns when its media connection is up.
func Connect(ctx context.Context, o Options) (*Participant, error) {
	key, err := o.Keys.of(o.Passphrase)
	if err != nil {
		return nil, err
	}
	wire := noWire(o.URL, o.Trust)
	if !o.Direct {
		if wire, err = newWire(ctx, o.URL, o.Trust); err != nil {
			return nil, err
		}
	}
	p := &Participant{
		key: key, wire: wire, signal: &signal{address: wire.address, dialer: wire.dialer(), token: o.Token, alter: o.Alter, mishear: o.Mishear, join: o.Join}, tally: newTally(), half: o.Half || o.Join != nil, turn: o.TURN, ignore: o.Ignores,
		data: make(chan Data, 256), joined: make(chan struct{}), gone: make(chan struct{}),
		others: map[string]*livekit.ParticipantInfo{},
	}
	p.ctx, p.end = context.WithCancel(context.Background())
	if err := p.connect(ctx, o); err != nil {
		p.Disconnect()
		return nil, err
	}
	return p, nil
}

func (p *Participant) connect(ctx context.Context, o Options) error {
	var err error
	if p.sub, err = newPeer(livekit.SignalTarget_SUBSCRIBER, network{o.TCPOnly, o.Trust}, p.signal.send); err != nil {
		return err
	}
	if p.pub, err = newPublisher(p.key, network{o.TCPOnly, o.Trust}, p.signal.send); err != nil {
		return err
	}
	p.pub.craft, p.pub.gone = o.Craft, p.gone
	p.subscribe()
	if o.Before != nil {
		o.Before()
	}
	if err := p.signal.dial(ctx, ""); err != nil {
		return err
	}
	go p.listen()
	go p.ping()
	steps := []<-chan struct{}{p.joined, p.sub.up}
	if p.half {
		steps = steps[:1]
	}
	for _, step := range steps {
		select {
		case <-step:
		case <-p.gone:
			return fmt.Errorf("connect: %w", p.Err())
		case <-ctx.Done():
			return fmt.Errorf("connect: %w", context.Cause(ctx))
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.connected = time.Now()
	return nil
}

// listen handles the media server's messages until the participant is gone.
func (p *Participant) listen() {
	for {
		response, err := p.signal.receive()
		isBroken := err != nil
		if !isBroken {
			err = p.handle(response)
			isBroken = errors.Is(err, errUnsent)
		}
		if isBroken {
			err = p.comeBack(err)
		}
		if err != nil {
			p.over(err)
			return
		}
	}
}

// comeBack resumes the session after the signalling broke.
func (p *Participant) comeBack(broken error) error {
	p.mu.Lock()
	leaving, me := p.leaving, p.me
	p.mu.Unlock()
	if leaving || me == nil {
		return broken
	}
	for wait := 100 * time.Millisecond; wait < 5*time.Second; wait *= 2 {
		select {
		case <-time.After(wait):
		case <-p.ctx.Done():
			return broken
		}
		err := p.signal.dial(p.ctx, me.Sid)
		if err == nil || errors.Is(err, errRefused) {
			return err
		}
	}
	return broken
}

// ping pings the media server at intervals.
func (p *Participant) ping() {
	every := time.NewTicker(5 * time.Second)
	defer every.Stop()
	for {
		select {
		case <-every.C:
			_ = p.signal.send(&livekit.SignalRequest{Message: &livekit.SignalRequest_PingReq{PingReq: &livekit.Ping{}}})
		case <-p.ctx.Done():
			return
		}
	}
}

// handle handles one message of the media server.
func (p *Participant) handle(response *livekit.SignalResponse) error {
	switch m := response.Message.(type) {
	case *livekit.SignalResponse_Join:
		return p.join(m.Join)
	case *livekit.SignalResponse_Update:
		p.update(m.Update.Participants)
	case *livekit.SignalResponse_Offer:
		if p.half {
			return nil
		}
		answer, err := p.sub.answer(m.Offer)
		if err != nil {
			return err
		}
		return p.signal.send(&livekit.SignalRequest{Message: &livekit.SignalRequest_Answer{Answer: answer}})
	case *livekit.SignalResponse_Answer:
		return p.pub.answered(m.Answer)
	case *livekit.SignalResponse_Trickle:
		if m.Trickle.Target == livekit.SignalTarget_PUBLISHER {
			return p.pub.candidate(m.Trickle)
		}
		if p.half {
			return nil
		}
		return p.sub.candidate(m.Trickle)
	case *livekit.SignalResponse_TrackPublished:
		p.pub.announced(m.TrackPublished.Cid, m.TrackPublished.Track, nil)
	case *livekit.SignalResponse_RequestResponse:
		if add := m.RequestResponse.GetAddTrack(); add != nil {
			p.pub.announced(add.Cid, nil, fmt.Errorf("%w: %s", media.ErrRefused, m.RequestResponse.Reason))
		}
	case *livekit.SignalResponse_Mute:
		p.pub.mute(m.Mute.Sid, m.Mute.Muted)
	case *livekit.SignalResponse_RefreshToken:
		p.signal.setToken(m.RefreshToken)
	case *livekit.SignalResponse_Leave:
		p.mu.Lock()
		p.goneWhy = m.Leave.Reason.String()
		p.mu.Unlock()
		return fmt.Errorf("sent away: %s", m.Leave.Reason)
	}
	return nil
}

// join takes the media server's answer to the request to join.
func (p *Participant) join(answer *livekit.JoinResponse) error {
	p.mu.Lock()
	p.me, p.injected = answer.Participant, answer.SifTrailer
	p.mu.Unlock()
	p.update(answer.OtherParticipants)
	if err := p.useRelays(answer.IceServers); err != nil {
		return err
	}
	close(p.joined)
	return nil
}

// update takes the media server's news of others, and of this participant.
func (p *Participant) update(people []*livekit.ParticipantInfo) {
	p.mu.Lock()
	for _, info := range people {
		switch {
		case info.Sid == p.me.Sid:
			p.me = info
		case info.State == livekit.ParticipantInfo_DISCONNECTED:
			delete(p.others, info.Sid)
		default:
			p.others[info.Sid] = info
		}
	}
	p.mu.Unlock()
	p.tally.wake() // streams wait to learn their owners
}

// useRelays gives the media connections their TURN servers, if they should use any.
func (p *Participant) useRelays(servers []*livekit.ICEServer) error {
	if p.turn == NoTURN {
		return nil
	}
	for _, pc := range []*peer{p.pub.peer, p.sub} {
		if err := pc.useRelays(servers, p.turn); err != nil {
			return err
		}
	}
	return nil
}

// over ends the participant, once.
func (p *Participant) over(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	select {
	case <-p.gone: // the first error is the reason; the others follow from it
	default:
		p.end()
		p.goneError = err
		close(p.gone)
	}
}

// ConnectedAt is when the connection was first complete.
func (p *Participant) ConnectedAt() time.Time {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.connected
}

// Identity is the connection identity.
func (p *Participant) Identity() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.me.Identity
}

// SessionID is the media server's id of this connection.
func (p *Participant) SessionID() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.me.Sid
}

// Others lists the identities that this participant sees, without its own.
func (p *Participant) Others() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	var identities []string
	for _, o := range p.others {
		identities = append(identities, o.Identity)
	}
	slices.Sort(identities)
	return identities
}

// SetAttributes asks the media server to change own attributes, as stock
// clients do to raise a hand. It does not say whether that is allowed.
func (p *Participant) SetAttributes(attributes map[string]string) {
	_ = p.signal.send(&livekit.SignalRequest{Message: &livekit.SignalRequest_UpdateMetadata{
		UpdateMetadata: &livekit.UpdateParticipantMetadata{Attributes: attributes},
	}})
}

// Transport is the protocol of the media connections, "udp", "tcp" or "relay", or
// two of them where they differ.
func (p *Participant) Transport() (string, error) {
	var used []string
	for _, pc := range []*peer{p.pub.peer, p.sub} {
		if t := pc.transport(); t != "" && !slices.Contains(used, t) {
			used = append(used, t)
		}
	}
	if len(used) == 0 {
		return "", errors.New("no media connection")
	}
	return strings.Join(used, " and "), nil
}

// Gone is closed when the connection is over, for any reason.
func (p *Participant) Gone() <-chan struct{} { return p.gone }

// Err is why the connection is over; nil while it is not.
func (p *Participant) Err() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.goneError
}

// GoneReason is the reason that the media server gave (PARTICIPANT_REMOVED,
// ...), if any.
func (p *Participant) GoneReason() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.goneWhy
}
