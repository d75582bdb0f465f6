package mediaclient

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/conclave-rooms/conclave/api"
)

// Knock brings a visitor to a room by the room's link. If a host has to let them in,
// it calls waits with their identity, and goes in once the host has.
func Knock(ctx context.Context, o DeviceOptions, code, name string, waits func(identity string)) (*Device, error) {
	d := newDevice(o)
	var seat struct{ Ticket, Identity, Decision string }
	if err := d.ask(ctx, http.MethodPost, "/meet/v1/join", "", map[string]string{"code": code, "name": name}, &seat); err != nil {
		return nil, fmt.Errorf("join: %w", err)
	}
	d.ticket = seat.Ticket
	if seat.Decision != "enter" {
		waits(seat.Identity)
		if err := d.waitInLine(ctx); err != nil {
			return nil, fmt.Errorf("wait to be let in: %w", err)
		}
	}
	var token api.RoomToken
	if err := d.ask(ctx, http.MethodPost, "/meet/v1/token", d.ticket, nil, &token); err != nil {
		return nil, fmt.Errorf("get a token: %w", err)
	}
	if err := d.begin(ctx, token); err != nil {
		return nil, err
	}
	return d, nil
}

// waitInLine follows the stream until it says that the visitor may enter.
func (d *Device) waitInLine(ctx context.Context) error {
	stream, err := d.open(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = stream.Close() }()
	return messages(stream, func(about string, data []byte) (enough bool, err error) {
		switch about {
		case "door":
			var door struct{ Decision string }
			if err := json.Unmarshal(data, &door); err != nil {
				return false, fmt.Errorf("read the stream: %w", err)
			}
			return door.Decision == "enter", nil
		case "end":
			return false, fmt.Errorf("the visitor was turned away: %s", data)
		}
		return false, nil
	})
}
