// Command crowd brings people into a meeting for the browser tests, so that a
// test about many needs no browser for each of them: devices with interfaces of
// their own, which send and decrypt real sound and pictures and go where they
// are placed. `make test-browser` builds it as bin/crowd; crowd.ts drives it.
//
// Its input is one JSON object, then a line for each report it should write:
//
//	{"service": "http://localhost:8080", "people": [{"name": "Dan", "token": {room_token}}]}
//
// With "seats": [{"name": "Dan", "server_url": "...", "token": "..."}] it holds seats of
// the meeting protocol in their media rooms, for tests that make the keys of these
// devices themselves. Such devices send nothing, and are in no report.
//
// Its output is a line "ready" once everybody is in, and then a line of JSON
// for each line of input: a report about everybody. When the input ends, all
// leave.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/media"
	"github.com/conclave-rooms/conclave/internal/media/mediaclient"
)

func main() {
	if err := run(context.Background(), os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "crowd:", err)
		os.Exit(1)
	}
}

// order says where the service is and who comes.
type order struct {
	Service string `json:"service"`
	People  []struct {
		Name  string        `json:"name"`
		Token api.RoomToken `json:"token"`
	} `json:"people"`
	Seats []seat `json:"seats"`
}

// seat is a seat of the meeting protocol.
type seat struct {
	Name      string `json:"name"`
	ServerURL string `json:"server_url"`
	Token     string `json:"token"`
}

// report says where one person is, who else is there, and whose sound and pictures
// they could decrypt. It names others by their identities.
type report struct {
	Name  string   `json:"name"`
	Place string   `json:"place"`
	With  []string `json:"with"`
	Hears []string `json:"hears"`
	Sees  []string `json:"sees"`
	// Undecryptable counts sound that was encrypted with another key. Pictures do
	// not count, because one that lost a packet cannot be decrypted either.
	Undecryptable int    `json:"undecryptable"`
	Trouble       string `json:"trouble"`
}

func run(ctx context.Context, in io.Reader, out io.Writer) error {
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 1<<20)
	if !lines.Scan() {
		return errors.Join(errors.New("no order arrived"), lines.Err())
	}
	var o order
	if err := json.Unmarshal(lines.Bytes(), &o); err != nil {
		return fmt.Errorf("read the order: %w", err)
	}
	devices := make([]*mediaclient.Device, 0, len(o.People))
	defer func() {
		for _, d := range devices {
			d.Stop()
		}
	}()
	for _, p := range o.People {
		d, err := mediaclient.Enter(ctx, mediaclient.DeviceOptions{
			Service: o.Service, Token: p.Token, Sends: []media.Source{media.Microphone, media.Camera},
		})
		if err != nil {
			return fmt.Errorf("bring %s in: %w", p.Name, err)
		}
		devices = append(devices, d)
	}
	leave, err := hold(ctx, o.Seats)
	defer leave()
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintln(out, "ready"); err != nil {
		return fmt.Errorf("say that all are in: %w", err)
	}
	for lines.Scan() {
		reports := make([]report, 0, len(devices))
		for i, d := range devices {
			reports = append(reports, reportOn(o.People[i].Name, d))
		}
		if err := json.NewEncoder(out).Encode(reports); err != nil {
			return fmt.Errorf("report: %w", err)
		}
	}
	return lines.Err() //nolint:wrapcheck // clear by itself
}

// hold connects seats to their media rooms. The function it returns disconnects them.
func hold(ctx context.Context, seats []seat) (leave func(), err error) {
	held := make([]*mediaclient.Participant, 0, len(seats))
	leave = func() {
		for _, p := range held {
			p.Disconnect()
		}
	}
	for _, s := range seats {
		p, err := mediaclient.Connect(ctx, mediaclient.Options{URL: s.ServerURL, Token: s.Token})
		if err != nil {
			return leave, fmt.Errorf("bring %s in: %w", s.Name, err)
		}
		held = append(held, p)
	}
	return leave, nil
}

func reportOn(name string, d *mediaclient.Device) report {
	here := d.Participant()
	r := report{Name: name, Place: d.Place(), With: here.Others(), Hears: []string{}, Sees: []string{}}
	if err := d.Err(); err != nil {
		r.Trouble = err.Error()
	}
	for _, identity := range r.With {
		if here.FramesDecrypted(identity, media.Microphone) > 0 {
			r.Hears = append(r.Hears, identity)
		}
		if here.FramesDecrypted(identity, media.Camera) > 0 {
			r.Sees = append(r.Sees, identity)
		}
		r.Undecryptable += here.Undecryptable(identity, media.Microphone)
	}
	return r
}
