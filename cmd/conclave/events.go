package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/event"
	"github.com/conclave-rooms/conclave/internal/fault"
)

type eventsCmd struct {
	List eventsList `cmd:"" help:"List events in the order in which they happened."`
	Tail eventsTail `cmd:"" help:"Print events as they happen, until Ctrl+C."`
}

// eventFilter selects events.
type eventFilter struct {
	Workspace string `help:"Only events of this workspace." placeholder:"ID"`
	Type      string `help:"Only events of this type, such as room.created." placeholder:"TYPE"`
	Since     since  `help:"Only events since a time, such as 2026-11-22T10:00:00Z, or since a while ago, such as 15m." placeholder:"TIME"`
}

func (f eventFilter) filter() (event.Filter, error) {
	kind := api.EventType(f.Type)
	if f.Type != "" && !slices.Contains(api.EventTypes(), kind) {
		return event.Filter{}, unknownType("type", f.Type)
	}
	return event.Filter{WorkspaceID: f.Workspace, Type: kind}, nil
}

// known refuses a workspace that does not exist: no event would ever be of it.
func (f eventFilter) known(ctx context.Context, d *desk) error {
	if f.Workspace == "" {
		return nil
	}
	_, err := d.owner(ctx, f.Workspace)
	return err
}

// unknownType refuses an event type that does not exist.
func unknownType(flag, given string) error {
	types := make([]string, len(api.EventTypes()))
	for i, kind := range api.EventTypes() {
		types[i] = string(kind)
	}
	return fault.BadParameter(flag, fmt.Sprintf("--%s: there are no events of type %q; there are %s.", flag, given, strings.Join(types, ", ")))
}

// since is a moment, written as a time or as a duration before now.
type since struct {
	time   time.Time
	ago    time.Duration
	isAgo  bool
	isSaid bool // also the zero time can be said
}

// UnmarshalText parses it from the command line.
func (s *since) UnmarshalText(text []byte) error {
	if ago, err := time.ParseDuration(string(text)); err == nil && ago >= 0 {
		s.ago, s.isAgo, s.isSaid = ago, true, true
		return nil
	}
	at, err := api.ParseTime(string(text))
	if err != nil {
		return fmt.Errorf("%q is neither a time such as 2026-11-22T10:00:00Z nor a duration such as 15m", text)
	}
	s.time, s.isSaid = at.Time, true
	return nil
}

// before is the moment, by the clock by which events get their times; zero when none
// was given.
func (s since) before(now time.Time) time.Time {
	if s.isAgo {
		return now.Add(-s.ago)
	}
	return s.time
}

// orNow is the given moment, or the present one if none was given.
func (s since) orNow(now time.Time) time.Time {
	if s.isSaid {
		return s.before(now)
	}
	return now
}

type eventsList struct {
	common
	eventFilter

	After string `help:"Only events after this one." placeholder:"EVENT_ID"`
	Limit int    `default:"100" help:"How many events at most."`
}

func (c *eventsList) Run(ctx context.Context, o *output) error {
	if c.Limit < 1 || c.Limit > 100000 {
		return fault.BadParameter("limit", "--limit must be 1 to 100000.")
	}
	f, err := c.filter()
	if err != nil {
		return err
	}
	f.Limit = c.Limit
	return c.with(ctx, o, func(d *desk) error {
		if err := c.known(ctx, d); err != nil {
			return err
		}
		f.After.CreatedAt = c.Since.before(d.db.Now())
		var list []event.Event
		err := d.db.Read(ctx, func(tx *db.Tx) error {
			if c.After != "" {
				e, err := d.events.Find(ctx, tx, c.After)
				if err != nil {
					return err
				}
				if !e.CreatedAt.Before(f.After.CreatedAt) {
					f.After = e
				}
			}
			var err error
			list, err = d.events.List(ctx, tx, f)
			return err
		})
		if err != nil {
			return err
		}
		return o.events(list, c.JSON)
	})
}

type eventsTail struct {
	common
	eventFilter
}

func (c *eventsTail) Run(ctx context.Context, o *output) error {
	f, err := c.filter()
	if err != nil {
		return err
	}
	return c.with(ctx, o, func(d *desk) error {
		if err := c.known(ctx, d); err != nil {
			return err
		}
		f.After.CreatedAt = c.Since.orNow(d.db.Now())
		return d.follow(ctx, f, func(list []event.Event) error { return o.events(list, c.JSON) })
	})
}

// lookEvery is how often the log is read: events are committed by other
// processes, which cannot notify this one.
const lookEvery = 200 * time.Millisecond

// follow passes on events as they appear, from the filter's beginning until ctx
// ends.
func (d *desk) follow(ctx context.Context, f event.Filter, each func([]event.Event) error) error {
	tail := &event.Tail{Log: d.events, Filter: f}
	ticks := time.NewTicker(lookEvery)
	defer ticks.Stop()
	for {
		var list []event.Event
		err := d.db.Read(ctx, func(tx *db.Tx) (err error) {
			list, err = tail.Next(ctx, tx)
			return err
		})
		if err == nil && len(list) > 0 {
			err = each(list)
		}
		if ctx.Err() != nil {
			return nil // Ctrl+C ends it
		}
		if err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return nil
		case <-ticks.C:
		}
	}
}

// events prints events, one on each line.
func (o *output) events(list []event.Event, asJSON bool) error {
	for _, e := range list {
		if !asJSON {
			o.line("%s  %s  %-22s %s", api.At(e.CreatedAt), e.ID, e.Type, e.Data)
			continue
		}
		err := o.json(map[string]any{
			"id": e.ID, "type": e.Type, "workspace_id": e.WorkspaceID, "created_at": api.At(e.CreatedAt), "data": e.Data,
		})
		if err != nil {
			return err
		}
	}
	return nil
}
