package calendar

import (
	"context"
	"fmt"
	"net/http"
	"net/url"

	"github.com/conclave-rooms/conclave/internal/outbound"
)

// GoogleAPI is the address of version 3 of Google's calendar API.
const GoogleAPI = "https://www.googleapis.com/calendar/v3"

// Google is a calendar in Google Calendar.
type Google struct {
	Access *Access
	Base   string // GoogleAPI
	// Calendar is the id of the calendar; "primary" is the person's own.
	Calendar string
	// Host is the host of the service's public address, for the mark.
	Host string
}

// Check asks for at most one event of the calendar, because the person's consent does
// not allow requests about the calendar itself.
func (g *Google) Check(ctx context.Context) error {
	const doing = "check the calendar"
	res, err := g.do(ctx, doing, http.MethodGet, "?maxResults=1&fields=kind", "", nil)
	switch {
	case err != nil:
		return err
	case gone(res):
		return fmt.Errorf("%s: %w", doing, ErrNoCalendar)
	case !good(res):
		return g.refusal(res, doing)
	}
	return nil
}

// Write puts the entry into the calendar.
func (g *Google) Write(ctx context.Context, e Entry) (Ref, error) {
	p, err := newPlan(e)
	if err != nil {
		return Ref{}, err
	}
	return retryChanged(func() (Ref, error) { return g.put(ctx, p) })
}

func (g *Google) put(ctx context.Context, p plan) (Ref, error) {
	have, version, err := g.look(ctx, p.Meeting)
	if err != nil {
		return Ref{}, err
	}
	// An event that was deleted keeps its id, and comes back by an update.
	doing, method, path := "write the event", http.MethodPut, "/"+googleID(p.Meeting)+"?sendUpdates=none"
	if have == nil {
		method, path = http.MethodPost, "?sendUpdates=none"
	}
	res, err := g.do(ctx, doing, method, path, version, p.googleEvent(g.Host, have))
	if err != nil {
		return Ref{}, err
	}
	switch {
	case have == nil && gone(res):
		return Ref{}, fmt.Errorf("%s: %w", doing, ErrNoCalendar)
	case res.Status == http.StatusConflict, have != nil && gone(res): // the event was created or deleted in between
		return Ref{}, fmt.Errorf("%s: %w", doing, ErrChanged)
	case !good(res):
		return Ref{}, g.refusal(res, doing)
	}
	var written struct {
		ID   string `json:"id"`
		ETag string `json:"etag"`
	}
	if err := decode(res, doing, &written); err != nil {
		return Ref{}, err
	}
	return Ref{ID: storable(written.ID, longestID), Version: storable(written.ETag, longestVersion)}, nil
}

// Delete takes a meeting's event out of the calendar.
func (g *Google) Delete(ctx context.Context, meeting string) error {
	const doing = "delete the event"
	_, err := retryChanged(func() (struct{}, error) {
		have, version, err := g.look(ctx, meeting)
		if err != nil || have == nil || have["status"] == "cancelled" {
			return struct{}{}, err
		}
		res, err := g.do(ctx, doing, http.MethodDelete, "/"+googleID(meeting)+"?sendUpdates=none", version, nil)
		if err != nil || good(res) || gone(res) {
			return struct{}{}, err
		}
		return struct{}{}, g.refusal(res, doing)
	})
	return err
}

// look reads a meeting's event and its version; nil when there is none.
func (g *Google) look(ctx context.Context, meeting string) (googleEvent, string, error) {
	const doing = "look at the event"
	res, err := g.do(ctx, doing, http.MethodGet, "/"+googleID(meeting), "", nil)
	switch {
	case err != nil:
		return nil, "", err
	case gone(res):
		return nil, "", nil
	case !good(res):
		return nil, "", g.refusal(res, doing)
	}
	var have googleEvent
	if err := decode(res, doing, &have); err != nil {
		return nil, "", err
	}
	// A deleted event may have lost the mark.
	if have["status"] != "cancelled" && !have.marked(UID(meeting, g.Host)) {
		return nil, "", fmt.Errorf("%s: %w", doing, ErrForeign)
	}
	version, _ := have["etag"].(string)
	return have, version, nil
}

// do sends a request about the calendar's events. path is appended to their address.
func (g *Google) do(ctx context.Context, doing, method, path, version string, body googleEvent) (outbound.Response, error) {
	r := outbound.Request{Method: method, Address: g.Base + "/calendars/" + url.PathEscape(g.Calendar) + "/events" + path, Header: map[string]string{}}
	if version != "" {
		r.Header["If-Match"] = version
	}
	if body == nil {
		return g.Access.send(ctx, doing, r, nil)
	}
	return g.Access.send(ctx, doing, r, body)
}

// refusal turns an answer into an error. The reason of a 403 tells a limit from a
// consent that has ended.
func (g *Google) refusal(res outbound.Response, doing string) error {
	var answer struct {
		Error struct {
			Errors []struct {
				Reason string `json:"reason"`
			} `json:"errors"`
		} `json:"error"`
	}
	reason := ""
	if decode(res, doing, &answer) == nil && len(answer.Error.Errors) > 0 {
		reason = answer.Error.Errors[0].Reason
	}
	now := g.Access.OAuth.Now()
	if res.Status == http.StatusForbidden {
		switch reason {
		case "rateLimitExceeded", "userRateLimitExceeded", "quotaExceeded", "dailyLimitExceeded":
			return fmt.Errorf("%s: %w", doing, &BusyError{After: res.RetryAfter(now)})
		case "insufficientPermissions", "forbidden", "requiredAccessLevel", "":
			return fmt.Errorf("%s: %w", doing, ErrRevoked)
		}
	}
	return refusal(res, doing, reason, now)
}
