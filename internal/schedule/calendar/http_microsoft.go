package calendar

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/conclave-rooms/conclave/internal/outbound"
)

// GraphAPI is the address of Microsoft Graph, version 1.0.
const GraphAPI = "https://graph.microsoft.com/v1.0"

// Microsoft is a calendar in Microsoft 365 or Outlook.
type Microsoft struct {
	Access *Access
	Base   string // GraphAPI, or the address of a national cloud
	// Calendar is the id of the calendar, "" for the person's default one.
	Calendar string
	// Host is the host of the service's public address, for the mark.
	Host string
}

// mostPages limits how many pages of a list of events are read.
const mostPages = 10

// Check asks whether the calendar exists and may be changed.
func (m *Microsoft) Check(ctx context.Context) error {
	const doing = "check the calendar"
	res, err := m.do(ctx, doing, http.MethodGet, m.root()+"?$select=canEdit", "", nil)
	switch {
	case err != nil:
		return err
	case gone(res):
		return fmt.Errorf("%s: %w", doing, ErrNoCalendar)
	case !good(res):
		return m.refusal(res, doing)
	}
	var found struct {
		Editable bool `json:"canEdit"`
	}
	if err := decode(res, doing, &found); err != nil {
		return err
	}
	if !found.Editable {
		return fmt.Errorf("%s: %w", doing, ErrNoCalendar)
	}
	return nil
}

// Write puts the entry into the calendar. A series on the 29th to the 31st is
// written as the single events of the coming year; see TopUp.
func (m *Microsoft) Write(ctx context.Context, e Entry) (Ref, error) {
	p, err := newPlan(e)
	if err != nil {
		return Ref{}, err
	}
	attempt := 0
	return retryChanged(func() (Ref, error) {
		attempt++
		return m.put(ctx, p, attempt)
	})
}

// put creates, updates and removes events until the meeting has those it should.
func (m *Microsoft) put(ctx context.Context, p plan, attempt int) (Ref, error) {
	have, err := m.find(ctx, p.Meeting)
	if err != nil {
		return Ref{}, err
	}
	now := m.Access.OAuth.Now()
	want := map[string]plan{"": p}
	if p.mirrored() {
		want = map[string]plan{}
		for _, single := range p.singles(now) {
			want[single.Starts.Format(time.DateOnly)] = single
		}
	}
	var ref Ref
	for _, event := range have {
		occurrence := event.mark(graphOccurrence)
		wanted, ok := want[occurrence]
		switch {
		case ok:
			delete(want, occurrence)
			ref, err = m.update(ctx, event, wanted.graphEvent(m.Host, occurrence))
		case p.mirrored() && occurrence != "" && p.over(occurrence, now):
			continue // so it stays
		default:
			err = m.remove(ctx, event)
		}
		if err != nil {
			return Ref{}, err
		}
	}
	for occurrence, wanted := range want {
		event := wanted.graphEvent(m.Host, occurrence)
		event.Transaction = p.graphTransaction(occurrence, attempt)
		if ref, err = m.create(ctx, event); err != nil {
			return Ref{}, err
		}
	}
	return ref, nil
}

// Delete takes a meeting's events out of the calendar.
func (m *Microsoft) Delete(ctx context.Context, meeting string) error {
	_, err := retryChanged(func() (struct{}, error) {
		have, err := m.find(ctx, meeting)
		for _, event := range have {
			if err = m.remove(ctx, event); err != nil {
				break
			}
		}
		return struct{}{}, err
	})
	return err
}

// graphFound is an event that was found by its mark.
type graphFound struct {
	ID      string          `json:"id"`
	Version string          `json:"@odata.etag"`
	Marks   []graphProperty `json:"singleValueExtendedProperties"`
}

func (f graphFound) mark(name string) string {
	for _, property := range f.Marks {
		if strings.EqualFold(property.ID, name) {
			return property.Value
		}
	}
	return ""
}

// find lists the events that carry a meeting's mark.
func (m *Microsoft) find(ctx context.Context, meeting string) ([]graphFound, error) {
	const doing = "look for the event"
	query := url.Values{
		"$filter": {fmt.Sprintf("singleValueExtendedProperties/any(ep: ep/id eq '%s' and ep/value eq '%s')", graphMark, strings.ReplaceAll(UID(meeting, m.Host), "'", "''"))},
		"$expand": {fmt.Sprintf("singleValueExtendedProperties($filter=id eq '%s' or id eq '%s')", graphMark, graphOccurrence)},
		"$select": {"id"},
		"$top":    {"50"},
	}
	path := m.root() + "/events?" + strings.ReplaceAll(query.Encode(), "+", "%20")
	var list []graphFound
	for range mostPages {
		res, err := m.do(ctx, doing, http.MethodGet, path, "", nil)
		if err != nil {
			return nil, err
		}
		if gone(res) { // the calendar, or the whole mailbox
			return nil, fmt.Errorf("%s: %w", doing, ErrNoCalendar)
		}
		if !good(res) {
			return nil, m.refusal(res, doing)
		}
		var page struct {
			Value []graphFound `json:"value"`
			Next  string       `json:"@odata.nextLink"`
		}
		if err := decode(res, doing, &page); err != nil {
			return nil, err
		}
		for _, event := range page.Value {
			if event.mark(graphMark) == UID(meeting, m.Host) {
				list = append(list, event)
			}
		}
		if page.Next == "" {
			return list, nil
		}
		if path, err = m.next(page.Next); err != nil {
			return nil, err
		}
	}
	return nil, errors.New("look for the event: the list has no end")
}

// next returns the path of the next page. It refuses a page on another server, which
// must not get the access token.
func (m *Microsoft) next(link string) (string, error) {
	path, ok := strings.CutPrefix(link, m.Base)
	if !ok || !strings.HasPrefix(path, "/") {
		return "", errors.New("look for the event: the next page is on another server")
	}
	return path, nil
}

func (m *Microsoft) create(ctx context.Context, event graphEvent) (Ref, error) {
	const doing = "write the event"
	res, err := m.do(ctx, doing, http.MethodPost, m.root()+"/events", "", &event)
	switch {
	case err != nil:
		return Ref{}, err
	case gone(res):
		return Ref{}, fmt.Errorf("%s: %w", doing, ErrNoCalendar)
	case res.Status == http.StatusConflict: // the same request was made before
		return Ref{}, fmt.Errorf("%s: %w", doing, ErrChanged)
	case !good(res):
		return Ref{}, m.refusal(res, doing)
	}
	return m.written(res, doing)
}

func (m *Microsoft) update(ctx context.Context, have graphFound, event graphEvent) (Ref, error) {
	const doing = "write the event"
	res, err := m.do(ctx, doing, http.MethodPatch, m.root()+"/events/"+url.PathEscape(have.ID), have.Version, &event)
	switch {
	case err != nil:
		return Ref{}, err
	case gone(res):
		return Ref{}, fmt.Errorf("%s: %w", doing, ErrChanged)
	case !good(res):
		return Ref{}, m.refusal(res, doing)
	}
	return m.written(res, doing)
}

func (m *Microsoft) remove(ctx context.Context, have graphFound) error {
	const doing = "delete the event"
	res, err := m.do(ctx, doing, http.MethodDelete, m.root()+"/events/"+url.PathEscape(have.ID), have.Version, nil)
	if err != nil || good(res) || gone(res) {
		return err
	}
	return m.refusal(res, doing)
}

func (*Microsoft) written(res outbound.Response, doing string) (Ref, error) {
	var written graphFound
	if err := decode(res, doing, &written); err != nil {
		return Ref{}, err
	}
	return Ref{ID: storable(written.ID, longestID), Version: storable(written.Version, longestVersion)}, nil
}

// root returns the path of the calendar.
func (m *Microsoft) root() string {
	if m.Calendar == "" {
		return "/me/calendar"
	}
	return "/me/calendars/" + url.PathEscape(m.Calendar)
}

func (m *Microsoft) do(ctx context.Context, doing, method, path, version string, body *graphEvent) (outbound.Response, error) {
	r := outbound.Request{Method: method, Address: m.Base + path, Header: map[string]string{}}
	if version != "" {
		r.Header["If-Match"] = version
	}
	if body == nil {
		return m.Access.send(ctx, doing, r, nil)
	}
	return m.Access.send(ctx, doing, r, body)
}

// refusal turns an answer into an error.
func (m *Microsoft) refusal(res outbound.Response, doing string) error {
	var answer struct {
		Error struct {
			Code string `json:"code"`
		} `json:"error"`
	}
	_ = decode(res, doing, &answer) // if there is no code, the status is enough
	if res.Status == http.StatusForbidden {
		return fmt.Errorf("%s: %w", doing, ErrRevoked)
	}
	return refusal(res, doing, answer.Error.Code, m.Access.OAuth.Now())
}
