package mediaclient

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/media"
)

// DeviceOptions say which person's device it is, and what it sends.
type DeviceOptions struct {
	Service string        // its address, http://host:port
	Token   api.RoomToken // as the API returned it
	Sends   []media.Source
	Direct  bool  // as Options.Direct
	Keys    *Keys // as Options.Keys
	// Here connects to the address Service instead of a token's server_url, such
	// as to one node behind a balancer.
	Here bool
	// Bare connects to a media server that has no service in front: there is no seat,
	// and no stream.
	Bare bool
}

// Device is a person's device with an interface of its own, written from
// docs/reference/meeting-protocol.md alone: it exchanges its media token for a
// ticket, follows its stream, and goes to the room that the stream names.
type Device struct {
	o      DeviceOptions
	ticket string
	end    context.CancelFunc
	moves  chan Arrival
	over   chan struct{} // closed once the stream has ended

	inside chan struct{} // closed once the stream says that the person is in the meeting

	mu      sync.Mutex    // guards the fields below
	first   time.Time     // when it was first connected
	last    Arrival       // the newest one, also the first
	changed chan struct{} // closed and replaced at each arrival
	now     *Participant
	moving  bool      // to another room; the service may end the present connection meanwhile
	past    Reception // of the rooms it was in before
	err     error
}

// Arrival is a device that has connected to the room it was sent to.
type Arrival struct {
	Place string // the breakout's id; "" is the main room
	At    time.Time
}

// connectFor bounds one attempt to connect.
const connectFor = 30 * time.Second

func newDevice(o DeviceOptions) *Device {
	return &Device{o: o, moves: make(chan Arrival, 64), over: make(chan struct{}), inside: make(chan struct{}), changed: make(chan struct{})}
}

// Enter brings a device into a meeting.
func Enter(ctx context.Context, o DeviceOptions) (*Device, error) {
	d := newDevice(o)
	if o.Bare {
		d.end = func() {}
		close(d.over)
		return d, d.connect(ctx, o.Token, "")
	}
	var seat struct{ Ticket string }
	if err := d.ask(ctx, http.MethodPost, "/meet/v1/tickets", "", map[string]string{"token": o.Token.Token}, &seat); err != nil {
		return nil, fmt.Errorf("trade the token: %w", err)
	}
	d.ticket = seat.Ticket
	if err := d.begin(ctx, o.Token); err != nil {
		return nil, err
	}
	return d, nil
}

// begin connects to the room of a token, and follows the stream from then on.
func (d *Device) begin(ctx context.Context, token api.RoomToken) error {
	if err := d.connect(ctx, token, ""); err != nil {
		return err
	}
	life, end := context.WithCancel(context.WithoutCancel(ctx))
	d.end = end
	stream, err := d.open(life)
	if err != nil {
		end()
		d.Participant().Disconnect()
		return err
	}
	go d.follow(life, stream)
	return nil
}

// Participant is the device's connection to the current room.
func (d *Device) Participant() *Participant {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.now
}

// Place is the breakout that the device is in; "" is the main room.
func (d *Device) Place() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.last.Place
}

// Reception is what the device has received in all rooms it was in.
func (d *Device) Reception() Reception {
	d.mu.Lock()
	now, past := d.now, d.past
	d.mu.Unlock()
	return past.Plus(now.Reception())
}

// Send sends a request of the meeting protocol with the device's ticket.
func (d *Device) Send(ctx context.Context, method, path string, body any) error {
	return d.ask(ctx, method, path, d.ticket, body, nil)
}

// Err is the error that ended the device's stream or a move.
func (d *Device) Err() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.err
}

// Leave gives the seat up. The device stops moving before, because a move would take the
// seat again.
func (d *Device) Leave(ctx context.Context) error {
	if d.o.Bare {
		d.Stop()
		return nil
	}
	d.end()
	<-d.over
	err := d.ask(ctx, http.MethodPost, "/meet/v1/leave", d.ticket, nil, nil)
	d.Stop()
	return err
}

// Stop ends the device without giving up its seat.
func (d *Device) Stop() {
	d.end()
	<-d.over
	d.Participant().Disconnect()
}

// connect connects to the room of a token, and then leaves the one before.
func (d *Device) connect(ctx context.Context, token api.RoomToken, place string) error {
	ctx, cancel := context.WithTimeout(ctx, connectFor)
	defer cancel()
	server := token.ServerURL
	if d.o.Here {
		server = "ws" + strings.TrimPrefix(d.o.Service, "http")
	}
	next, err := Connect(ctx, Options{URL: server, Token: token.Token, Passphrase: token.E2EEPassphrase, Keys: d.o.Keys, Direct: d.o.Direct})
	if err != nil {
		return err
	}
	for _, source := range d.o.Sends {
		if _, err := next.Publish(ctx, source); err != nil {
			next.Disconnect()
			return err
		}
	}
	if before := d.arrived(next, place); before != nil {
		before.Disconnect()
	}
	return nil
}

// arrived takes the new connection in the place of the one before, which it returns.
func (d *Device) arrived(next *Participant, place string) (before *Participant) {
	d.mu.Lock()
	defer d.mu.Unlock()
	before = d.now
	d.now, d.last = next, Arrival{Place: place, At: time.Now()}
	if before == nil {
		d.first = next.ConnectedAt()
	} else {
		d.past = d.past.Plus(before.Reception())
	}
	close(d.changed)
	d.changed = make(chan struct{})
	return before
}

// follow obeys the stream until it ends.
func (d *Device) follow(ctx context.Context, stream io.ReadCloser) {
	defer close(d.over)
	err := d.listen(ctx, stream)
	_ = stream.Close()
	d.mu.Lock()
	defer d.mu.Unlock()
	d.err = err
}

// listen reads the stream. It always returns an error.
func (d *Device) listen(ctx context.Context, stream io.Reader) error {
	return messages(stream, func(about string, data []byte) (enough bool, err error) {
		if about == "breakouts" {
			err = d.told(ctx, data)
		}
		return false, err
	})
}

// messages calls handle with every message of a stream, until one is enough. The end
// of the stream is an error.
func messages(stream io.Reader, handle func(about string, data []byte) (enough bool, err error)) error {
	lines := bufio.NewScanner(stream)
	lines.Buffer(nil, 1<<20)
	for about := ""; lines.Scan(); {
		field, value, _ := strings.Cut(lines.Text(), ": ")
		switch field {
		case "event":
			about = value
		case "data":
			if enough, err := handle(about, []byte(value)); enough || err != nil {
				return err
			}
		}
	}
	return errors.Join(errors.New("the stream has ended"), lines.Err())
}

// told obeys one message of the stream.
func (d *Device) told(ctx context.Context, data []byte) error {
	var said struct {
		Session *struct {
			You struct{ Place *string }
		}
	}
	if err := json.Unmarshal(data, &said); err != nil {
		return fmt.Errorf("read the stream: %w", err)
	}
	if !d.Inside() { // this part is sent to people in the meeting only
		close(d.inside)
	}
	place := ""
	if said.Session != nil && said.Session.You.Place != nil {
		place = *said.Session.You.Place
	}
	if place == d.Place() {
		return nil
	}
	if err := d.move(ctx); err != nil {
		return err
	}
	d.mu.Lock()
	last := d.last
	d.mu.Unlock()
	select {
	case d.moves <- last:
	default: // nobody reads; a test that needs it does
	}
	return nil
}

func (d *Device) setMoving(moving bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.moving = moving
}

// attempts is how often a device tries to get to where it belongs.
const attempts = 5

// move connects to the room where the person belongs now. The gate refuses a token when
// that changes before the device has used it; then the device asks for another one.
func (d *Device) move(ctx context.Context) error {
	d.setMoving(true)
	defer d.setMoving(false)
	for attempt := 1; ; attempt++ {
		var token struct {
			api.RoomToken

			BreakoutID string `json:"breakout_id"` // null, which is "" here: the main room
		}
		if err := d.ask(ctx, http.MethodPost, "/meet/v1/token", d.ticket, nil, &token); err != nil {
			return fmt.Errorf("get a token: %w", err)
		}
		err := d.connect(ctx, token.RoomToken, token.BreakoutID)
		switch {
		case err == nil:
			return nil
		case !errors.Is(err, errRefused) || attempt == attempts:
			return fmt.Errorf("move: %w", err)
		}
	}
}

// open opens the device's stream.
func (d *Device) open(ctx context.Context) (io.ReadCloser, error) {
	res, err := d.send(ctx, http.MethodGet, "/meet/v1/events", d.ticket, nil)
	if err != nil {
		return nil, fmt.Errorf("follow the stream: %w", err)
	}
	return res.Body, nil
}

func (d *Device) ask(ctx context.Context, method, path, ticket string, body, into any) error {
	res, err := d.send(ctx, method, path, ticket, body)
	if err != nil {
		return err
	}
	defer func() { _ = res.Body.Close() }()
	if into == nil {
		return nil
	}
	if err := json.NewDecoder(res.Body).Decode(into); err != nil {
		return fmt.Errorf("read the answer of %s: %w", path, err)
	}
	return nil
}

func (d *Device) send(ctx context.Context, method, path, ticket string, body any) (*http.Response, error) {
	var content []byte
	if body != nil {
		var err error
		if content, err = json.Marshal(body); err != nil {
			return nil, fmt.Errorf("write the request to %s: %w", path, err)
		}
	}
	req, err := http.NewRequestWithContext(ctx, method, d.o.Service+path, bytes.NewReader(content))
	if err != nil {
		return nil, fmt.Errorf("address %s: %w", path, err)
	}
	req.Header.Set("Content-Type", "application/json")
	if ticket != "" {
		req.Header.Set("Authorization", "Bearer "+ticket)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if res.StatusCode >= http.StatusMultipleChoices {
		defer func() { _ = res.Body.Close() }()
		said, _ := io.ReadAll(io.LimitReader(res.Body, 4<<10))
		return nil, fmt.Errorf("%s: %s: %s", path, res.Status, said)
	}
	return res, nil
}
