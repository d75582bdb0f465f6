package calendar

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/xml"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/conclave-rooms/conclave/internal/outbound"
)

// CalDAV is a calendar on a CalDAV server (RFC 4791), used with a user name and a
// password, preferably one made for this purpose.
type CalDAV struct {
	Outbound *outbound.Client
	Now      func() time.Time
	User     string
	Password string
	// Server is the address of a server or a calendar, as the person entered it.
	Server string
	// Collection is the address of the calendar, one of those Find lists.
	Collection string
	// Host is the host of the service's public address, for the mark.
	Host string
}

// mostRedirects limits the redirects of one request.
const mostRedirects = 5

// Check asks whether the calendar exists and accepts events.
func (c *CalDAV) Check(ctx context.Context) error {
	answer, at, err := c.propfind(ctx, c.Collection, "0", calendarProps)
	if refused, ok := errors.AsType[*AnswerError](err); ok && (refused.Status == http.StatusNotFound || refused.Status == http.StatusGone) {
		return fmt.Errorf("check the calendar: %w", ErrNoCalendar)
	}
	if err != nil {
		return err
	}
	for _, found := range collections(answer, at) {
		if found.Writable {
			return nil
		}
	}
	return fmt.Errorf("check the calendar: %w", ErrNoCalendar)
}

// Write puts the entry into the calendar.
func (c *CalDAV) Write(ctx context.Context, e Entry) (Ref, error) {
	object, err := Object(e, c.Host)
	if err != nil {
		return Ref{}, err
	}
	return retryChanged(func() (Ref, error) { return c.put(ctx, e.Meeting, object) })
}

func (c *CalDAV) put(ctx context.Context, meeting string, object []byte) (Ref, error) {
	const doing = "write the event"
	header := map[string]string{"Content-Type": "text/calendar; charset=utf-8"}
	version, found, err := c.look(ctx, meeting)
	switch {
	case err != nil:
		return Ref{}, err
	case found:
		header["If-Match"] = version
	default:
		header["If-None-Match"] = "*"
	}
	res, _, err := c.do(ctx, doing, outbound.Request{Method: http.MethodPut, Address: c.address(meeting), Header: header, Body: object})
	switch {
	case err != nil:
		return Ref{}, err
	case good(res):
		return Ref{ID: c.address(meeting), Version: storable(res.Header.Get("ETag"), longestVersion)}, nil
	case gone(res), res.Status == http.StatusConflict && precondition(res) == "":
		return Ref{}, fmt.Errorf("%s: %w", doing, ErrNoCalendar)
	}
	return Ref{}, c.refusal(res, doing)
}

// Delete takes a meeting's event out of the calendar.
func (c *CalDAV) Delete(ctx context.Context, meeting string) error {
	const doing = "delete the event"
	_, err := retryChanged(func() (struct{}, error) {
		version, found, err := c.look(ctx, meeting)
		if err != nil || !found {
			return struct{}{}, err
		}
		res, _, err := c.do(ctx, doing, outbound.Request{Method: http.MethodDelete, Address: c.address(meeting), Header: map[string]string{"If-Match": version}})
		if err != nil || good(res) || gone(res) {
			return struct{}{}, err
		}
		return struct{}{}, c.refusal(res, doing)
	})
	return err
}

// look reads the version of a meeting's event. It returns ErrForeign if there is an
// event without our mark in its place.
func (c *CalDAV) look(ctx context.Context, meeting string) (version string, found bool, err error) {
	const doing = "look at the event"
	res, _, err := c.do(ctx, doing, outbound.Request{Method: http.MethodGet, Address: c.address(meeting), Header: map[string]string{"Accept": "text/calendar"}})
	switch {
	case err != nil:
		return "", false, err
	case gone(res):
		return "", false, nil
	case !good(res):
		return "", false, c.refusal(res, doing)
	case !marked(res.Body, meeting, c.Host):
		return "", false, fmt.Errorf("%s: %w", doing, ErrForeign)
	}
	// A proxy may have made the version weak; a weak version never matches.
	version = strings.TrimPrefix(res.Header.Get("ETag"), "W/")
	if version == "" {
		version = "*" // matches any version
	}
	return version, true, nil
}

// address returns the address of a meeting's event.
func (c *CalDAV) address(meeting string) string {
	return strings.TrimSuffix(c.Collection, "/") + "/" + meeting + ".ics"
}

// do sends a request with the password. It follows redirects only to the same
// server, because no other may get the password. It also returns the address that
// answered.
func (c *CalDAV) do(ctx context.Context, doing string, r outbound.Request) (outbound.Response, *url.URL, error) {
	at, err := url.Parse(r.Address)
	if err != nil || at.User != nil {
		return outbound.Response{}, nil, fmt.Errorf("%s: the address of the calendar is not valid", doing)
	}
	r.Header["Authorization"] = "Basic " + base64.StdEncoding.EncodeToString([]byte(c.User+":"+c.Password))
	r.MostRead = mostAnswer
	for range mostRedirects {
		r.Address = at.String()
		res, err := c.Outbound.Do(ctx, r)
		if err != nil {
			return res, at, fmt.Errorf("%s: %w", doing, err)
		}
		switch res.Status {
		case http.StatusMovedPermanently, http.StatusFound, http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
		default:
			return res, at, nil
		}
		next, err := at.Parse(res.Header.Get("Location"))
		if err != nil || next.User != nil || !sameHost(at, next) {
			return res, at, &AnswerError{Doing: doing, Status: res.Status, Code: "a redirect to another server"}
		}
		at = next
	}
	return outbound.Response{}, at, &AnswerError{Doing: doing, Status: http.StatusLoopDetected, Code: "too many redirects"}
}

// refusal turns an answer into an error. A 403 means that the access has ended,
// unless it names a condition that the request did not meet (RFC 4791, section
// 5.3.2.1).
func (c *CalDAV) refusal(res outbound.Response, doing string) error {
	code := precondition(res)
	switch {
	case code == "no-uid-conflict": // the person has the event at another address
		return fmt.Errorf("%s: %w", doing, ErrForeign)
	case res.Status == http.StatusForbidden && (code == "" || code == "need-privileges"):
		return fmt.Errorf("%s: %w", doing, ErrRevoked)
	}
	return refusal(res, doing, code, c.Now())
}

// precondition returns the name of the condition that was not met according to an
// answer (RFC 4918, section 16), or "".
func precondition(res outbound.Response) string {
	var answer struct {
		XMLName xml.Name `xml:"DAV: error"`
		Any     []struct {
			XMLName xml.Name
		} `xml:",any"`
	}
	if xml.NewDecoder(bytes.NewReader(res.Body)).Decode(&answer) != nil {
		return ""
	}
	for _, condition := range answer.Any {
		switch condition.XMLName.Space {
		case nsDAV, nsCalDAV: // ignore elements that servers add
			return condition.XMLName.Local
		}
	}
	return ""
}
