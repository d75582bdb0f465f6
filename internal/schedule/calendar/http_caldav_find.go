package calendar

import (
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"golang.org/x/net/publicsuffix"

	"github.com/conclave-rooms/conclave/internal/outbound"
)

// Collection is a calendar on a CalDAV server.
type Collection struct {
	Address  string
	Name     string
	Writable bool
}

// Limits for what a server says about a calendar. The address, in bytes, is part of
// an index, whose entries have at most 2704 bytes in PostgreSQL. The name, in
// characters, is as long as the one that a person can enter.
const (
	longestAddress = 2000
	longestName    = 200
)

// The namespaces of CalDAV's XML.
const (
	nsDAV    = "DAV:"
	nsCalDAV = "urn:ietf:params:xml:ns:caldav"
)

// Properties that are requested about an address on the server.
const (
	placeProps = `<D:current-user-principal/><C:calendar-home-set/>` + calendarProps

	calendarProps = `<D:resourcetype/><D:displayname/><C:supported-calendar-component-set/><D:current-user-privilege-set/>`
)

// Find lists the person's calendars that accept events. It goes from the server's
// address to the person's page and from there to their calendars (RFC 4791, section
// 6.2; RFC 5397; RFC 6764, section 6).
func (c *CalDAV) Find(ctx context.Context) ([]Collection, error) {
	answer, at, err := c.enter(ctx)
	if err != nil {
		return nil, err
	}
	if list := collections(answer, at); len(list) > 0 {
		return list, nil // the person entered the address of a calendar
	}
	home := answer.home()
	if home == "" {
		if answer, at, err = c.visit(ctx, at, answer.principal(), "0", placeProps); err != nil {
			return nil, err
		}
		home = answer.home()
	}
	if answer, at, err = c.visit(ctx, at, home, "1", calendarProps); err != nil {
		return nil, err
	}
	list := collections(answer, at)
	if len(list) == 0 {
		return nil, fmt.Errorf("find the calendars: %w", ErrNoCalendar)
	}
	return list, nil
}

// Choose returns the writable calendar with a name or address, or the first writable
// one when the name is empty.
func Choose(list []Collection, name string) (Collection, error) {
	for _, found := range list {
		if found.Writable && (name == "" || found.Name == name || found.Address == name) {
			return found, nil
		}
	}
	return Collection{}, ErrNoCalendar
}

// enter reads the properties of the address that the person entered. If it is only
// the address of a server, its well-known address is tried first.
func (c *CalDAV) enter(ctx context.Context) (multistatus, *url.URL, error) {
	given, err := url.Parse(c.Server)
	if err != nil {
		return multistatus{}, nil, errors.New("find the calendars: the address of the server is not valid")
	}
	known := given.ResolveReference(&url.URL{Path: "/.well-known/caldav"})
	places := []*url.URL{given, known}
	if strings.Trim(given.Path, "/") == "" {
		places = []*url.URL{known, given}
	}
	failed := ErrNoCalendar
	for i, place := range places {
		answer, at, err := c.propfind(ctx, place.String(), "0", placeProps)
		if err == nil && (answer.principal() != "" || answer.home() != "" || len(collections(answer, at)) > 0) {
			return answer, at, nil
		}
		if _, answered := errors.AsType[*AnswerError](err); err != nil && !answered {
			return multistatus{}, nil, err // the other address would give the same answer
		}
		if i == 0 && err != nil {
			failed = err
		}
	}
	return multistatus{}, nil, fmt.Errorf("find the calendars: %w", failed)
}

// visit follows a link in an answer. The link must lead to the same server, or by
// https to another server of the same site: large providers spread accounts over
// many servers, and such a site knows the password already.
func (c *CalDAV) visit(ctx context.Context, from *url.URL, href, depth, props string) (multistatus, *url.URL, error) {
	if href == "" {
		return multistatus{}, nil, fmt.Errorf("find the calendars: %w", ErrNoCalendar)
	}
	to, err := from.Parse(href)
	if err != nil || !sameHost(from, to) && !sameSite(from, to) {
		return multistatus{}, nil, fmt.Errorf("find the calendars: the server names an address of another one: %w", ErrNoCalendar)
	}
	return c.propfind(ctx, to.String(), depth, props)
}

// sameSite reports whether two https addresses belong to the same registered domain.
func sameSite(a, b *url.URL) bool {
	if a.Scheme != "https" || b.Scheme != "https" || b.User != nil {
		return false
	}
	first, err := publicsuffix.EffectiveTLDPlusOne(strings.ToLower(a.Hostname()))
	if err != nil {
		return false
	}
	second, err := publicsuffix.EffectiveTLDPlusOne(strings.ToLower(b.Hostname()))
	return err == nil && first == second
}

func (c *CalDAV) propfind(ctx context.Context, address, depth, props string) (multistatus, *url.URL, error) {
	const doing = "find the calendars"
	var answer multistatus
	res, at, err := c.do(ctx, doing, outbound.Request{
		Method: "PROPFIND", Address: address,
		Header: map[string]string{"Depth": depth, "Content-Type": "application/xml; charset=utf-8"},
		Body: []byte(`<?xml version="1.0" encoding="utf-8"?><D:propfind xmlns:D="` + nsDAV + `" xmlns:C="` + nsCalDAV + `"><D:prop>` +
			props + `</D:prop></D:propfind>`),
	})
	switch {
	case err != nil:
		return answer, nil, err
	case res.Status != http.StatusMultiStatus:
		return answer, nil, c.refusal(res, doing)
	}
	if err := xml.Unmarshal(res.Body, &answer); err != nil {
		return answer, nil, fmt.Errorf("%s: read the answer: %w", doing, err)
	}
	return answer, at, nil
}

// multistatus is the answer to PROPFIND (RFC 4918, section 14.16).
type multistatus struct {
	XMLName   xml.Name `xml:"DAV: multistatus"`
	Responses []struct {
		Href      string `xml:"DAV: href"`
		Propstats []struct {
			Status string     `xml:"DAV: status"`
			Prop   properties `xml:"DAV: prop"`
		} `xml:"DAV: propstat"`
	} `xml:"DAV: response"`
}

// properties are the properties that we request.
type properties struct {
	Name      string `xml:"DAV: displayname"`
	Principal link   `xml:"DAV: current-user-principal"`
	Home      link   `xml:"urn:ietf:params:xml:ns:caldav calendar-home-set"`
	Type      struct {
		Calendar *struct{} `xml:"urn:ietf:params:xml:ns:caldav calendar"`
	} `xml:"DAV: resourcetype"`
	Components *struct {
		List []struct {
			Name string `xml:"name,attr"`
		} `xml:"urn:ietf:params:xml:ns:caldav comp"`
	} `xml:"urn:ietf:params:xml:ns:caldav supported-calendar-component-set"`
	Privileges *struct {
		List []struct {
			Any []struct {
				XMLName xml.Name
			} `xml:",any"`
		} `xml:"DAV: privilege"`
	} `xml:"DAV: current-user-privilege-set"`
}

type link struct {
	Href []string `xml:"DAV: href"`
}

func (l link) first() string {
	if len(l.Href) == 0 {
		return ""
	}
	return strings.TrimSpace(l.Href[0])
}

// each calls do with the properties that the server returned for each address.
func (m multistatus) each(do func(href string, p properties)) {
	for _, response := range m.Responses {
		for _, stat := range response.Propstats {
			if fields := strings.Fields(stat.Status); len(fields) > 1 && fields[1] == "200" {
				do(strings.TrimSpace(response.Href), stat.Prop)
			}
		}
	}
}

func (m multistatus) principal() (href string) {
	m.each(func(_ string, p properties) {
		if href == "" {
			href = p.Principal.first()
		}
	})
	return href
}

func (m multistatus) home() (href string) {
	m.each(func(_ string, p properties) {
		if href == "" {
			href = p.Home.first()
		}
	})
	return href
}

// collections returns the calendars in an answer that accept events.
func collections(m multistatus, at *url.URL) []Collection {
	var list []Collection
	m.each(func(href string, p properties) {
		address, err := at.Parse(href)
		if err != nil || !sameHost(at, address) || p.Type.Calendar == nil || !p.takesEvents() {
			return
		}
		if len(address.String()) > longestAddress {
			return
		}
		list = append(list, Collection{Address: address.String(), Name: OneLine(p.Name, longestName), Writable: p.writable()})
	})
	return list
}

// takesEvents reports whether a calendar accepts events, and not only tasks. One
// that does not say accepts everything (RFC 4791, section 5.2.3).
func (p properties) takesEvents() bool {
	if p.Components == nil {
		return true
	}
	for _, component := range p.Components.List {
		if strings.EqualFold(component.Name, "VEVENT") {
			return true
		}
	}
	return false
}

// writable reports whether the person may add, change and delete events (RFC 3744,
// section 3.12). If the server does not say, it has no access control.
func (p properties) writable() bool {
	if p.Privileges == nil {
		return true
	}
	for _, privilege := range p.Privileges.List {
		for _, granted := range privilege.Any {
			switch granted.XMLName.Local {
			case "all", "write", "write-content":
				return true
			}
		}
	}
	return false
}
