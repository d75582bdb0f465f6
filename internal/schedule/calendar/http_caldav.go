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

// CalDAV is a calendar on a server that speaks CalDAV (RFC 4791), reached with
// a user name and a password, best one made for this purpose.
type CalDAV struct {
	Outbound *outbound.Client
	Now      func() time.Time
	User     string
	Password string
	// Server is the address that the person gave: of a server, or of a calendar.
	Server string
	// Collection is the address of the calendar, one of those Find lists.
	Collection string
	// Host is that of the service's public address, for the mark.
	Host string
}

// mostRedirects bounds the redirects of one request.
const mostRedirects = 5

// Check asks whether the calendar is there and takes events.
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
	return again(func() (Ref, error) { return c.put(ctx, e.Meeting, object) })
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
		return Ref{ID: c.address(meeting), Version: kept(res.Header.Get("ETag"), longestVersion)}, nil
	case gone(res), res.Status == http.StatusConflict && precondition(res) == "":
		return Ref{}, fmt.Errorf("%s: %w", doing, ErrNoCalendar)
	}
	return Ref{}, c.refusal(res, doing)
}

// Delete takes a meeting's event out of the calendar.
func (c *CalDAV) Delete(ctx context.Context, meeting string) error {
	const doing = "delete the event"
	_, err := again(func() (struct{}, error) {
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

// look finds a meeting's event and its version. An event in its place without
// our mark is ErrForeign.
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
	// A proxy may have made the version a weak one, which never matches.
	version = strings.TrimPrefix(res.Header.Get("ETag"), "W/")
	if version == "" {
		version = "*" // as long as it is there
	}
	return version, true, nil
}

// address is where a meeting's event is kept.
func (c *CalDAV) address(meeting string) string {
	return strings.TrimSuffix(c.Collection, "/") + "/" + meeting + ".ics"
}

// do sends a request with the password, and follows redirects of the same
// server: the password goes nowhere else. It also tells where the answer came
// from.
func (c *CalDAV) do(ctx context.Context, doing string, r outbound.Request) (outbound.Response, *url.URL, error) {
	at, err := url.Parse(r.Address)
	if err != nil || at.User != nil {
		return outbound.Response{}, nil, fmt.Errorf("%s: the address of the calendar is not one", doing)
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

// refusal makes an error of an answer. A 403 takes the access away, unless it
// says that something is wrong with the request (RFC 4791, section 5.3.2.1).
func (c *CalDAV) refusal(res outbound.Response, doing string) error {
	code := precondition(res)
	switch {
	case code == "no-uid-conflict": // the person keeps the event under another name
		return fmt.Errorf("%s: %w", doing, ErrForeign)
	case res.Status == http.StatusForbidden && (code == "" || code == "need-privileges"):
		return fmt.Errorf("%s: %w", doing, ErrRevoked)
	}
	return refusal(res, doing, code, c.Now())
}

// precondition is the name of the condition that an answer says was not met
// (RFC 4918, section 16), "" without one.
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
		case nsDAV, nsCalDAV: // not what servers add of their own
			return condition.XMLName.Local
		}
	}
	return ""
}
