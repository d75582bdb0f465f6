package rest

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/fault"
	"github.com/conclave-rooms/conclave/internal/rest/limit"
)

// Per is what a class of limits counts for.
type Per int

// The things that limits count for.
const (
	PerCaller  Per = iota + 1 // an API key or a seat
	PerAddress                // the caller's address; for IPv6 its /64, and its /48 with a higher limit
	PerSubject                // a subject that the handler finds, and counts itself with Count
)

// Class is one kind of request with a limit.
type Class struct {
	limit.Quota // a Count of zero: no limit
	Per         Per
	What        string // what is counted, for the text of a refusal
}

// The classes of limits, by the names that operators use.
const (
	ClassRequests       = "requests"              // everything, per caller
	ClassPublic         = "public"                // operations without credentials, per address
	ClassFailedAttempts = "failed_authentication" // refused credentials, per address
	ClassSignIn         = "sign_in"               // signing in, per address
	ClassSignInAccount  = "sign_in_account"       // tries of one account's password, from one network or known device
	// Tries of one account's password from all devices that are new to it.
	ClassSignInNewDevices = "sign_in_new_devices"
	ClassProviderReturns  = "provider_returns"    // returning from the identity provider, per address
	ClassProviderFlow     = "provider_flow"       // returning from it in one sign-in
	ClassProvider         = "provider"            // requests to it for the token of somebody who returns, from anywhere
	ClassRefusedMedia     = "refused_connections" // connections with invalid tokens, per address
	ClassConnections      = "connections"         // connections of one seat, from anywhere
	ClassAllConnections   = "meeting_connections" // connections with valid tokens, per address
	ClassMeetingWrites    = "meeting_writes"      // changes by people with tickets, per address
	ClassRoomWrites       = "room_writes"         // changes by all people with tickets of one room together
	ClassStreams          = "streams"             // streams of events that people with tickets open, per address
	ClassRecordingUploads = "recording_uploads"   // requests of recording devices, per address
	ClassConnectionTests  = "connection_tests"    // connection tests, per address
	ClassGroups           = "groups"              // requests about the group of a strict meeting, per caller
	// The size of key packages and changes of such groups, per address, and by all people of one room together.
	ClassGroupSize       = "group_kilobytes"
	ClassRoomGroupSize   = "room_group_kilobytes"
	ClassTokens          = "tokens"           // media tokens and join links, per caller
	ClassAnnouncements   = "announcements"    // announcements in one room, from anywhere
	ClassWebhookTest     = "webhook_test"     // webhook tests, per caller
	ClassWebhookRecover  = "webhook_recover"  // webhook recoveries, per caller
	ClassCalendarConnect = "calendar_connect" // tries to connect a calendar, per caller
	ClassCalendarFeed    = "calendar_feed"    // requests of one person's feed, from anywhere
)

// Limits are the quotas of all classes. The zero value means DefaultLimits.
type Limits struct {
	Off     bool
	Classes map[string]Class
}

// DefaultLimits are the limits of the contract, in a new map.
func DefaultLimits() Limits {
	quota := func(n int, window time.Duration) limit.Quota { return limit.Quota{Count: n, Window: window} }
	return Limits{Classes: map[string]Class{
		ClassRequests: {Quota: quota(100, 5*time.Second), Per: PerCaller, What: "requests"},
		// Two hundred people of one office come to a meeting at once. Each
		// makes three requests: for the session, the room and a seat.
		ClassPublic:         {Quota: quota(600, 10*time.Second), Per: PerAddress, What: "requests"},
		ClassFailedAttempts: {Quota: quota(60, time.Minute), Per: PerAddress, What: "failed authentications"},
		// A browser whose connection was refused asks once more for the reason.
		ClassRefusedMedia: {Quota: quota(120, time.Minute), Per: PerAddress, What: "refused connections"},
		// A device without a network tries at most seventeen times in five
		// seconds, then gets a new token.
		ClassConnections: {Quota: quota(20, 10*time.Second), Per: PerSubject, What: "connections of one person"},
		// Two hundred people reconnect after their network or the service was
		// down, and some of them try several times.
		ClassAllConnections: {Quota: quota(1000, 10*time.Second), Per: PerAddress, What: "connections"},
		// An office of two hundred signs in again after an update, through a
		// provider or with a password that some mistype. Tries of one account's
		// password have their own limits.
		ClassSignIn:        {Quota: quota(600, time.Minute), Per: PerAddress, What: "tries to sign in"},
		ClassSignInAccount: {Quota: quota(10, 15*time.Minute), Per: PerSubject, What: "tries of one account's password"},
		// NIST SP 800-63B, 5.2.2, allows a hundred failures in a row.
		ClassSignInNewDevices: {Quota: quota(100, time.Hour), Per: PerSubject, What: "tries of one account's password from new devices"},
		// Everybody of this office returns once. The provider limits how often it is
		// asked, and would refuse everybody; most allow more than ten times a second.
		ClassProviderReturns: {Quota: quota(240, time.Minute), Per: PerAddress, What: "returns from the identity provider"},
		ClassProviderFlow:    {Quota: quota(1, 10*time.Minute), Per: PerSubject, What: "return from the identity provider in one sign-in"},
		ClassProvider:        {Quota: quota(1200, time.Minute), Per: PerSubject, What: "returns of all people from the identity provider"},
		// Two hundred people of one office move to breakout rooms or vote at
		// once.
		ClassMeetingWrites: {Quota: quota(300, 5*time.Second), Per: PerAddress, What: "changes in meetings"},
		// A thousand people do so. One address can use at most half of it.
		ClassRoomWrites: {Quota: quota(1200, 10*time.Second), Per: PerSubject, What: "changes in one room"},
		// Five hundred people of one office connect again after a restart of the
		// service. Their devices all try within three seconds, and some twice.
		ClassStreams: {Quota: quota(1000, 10*time.Second), Per: PerAddress, What: "streams of events"},
		// Fifty hosts of one office record. Each sends a part every ten seconds
		// or more often, and some catch up after their network was down.
		ClassRecordingUploads: {Quota: quota(1200, time.Minute), Per: PerAddress, What: "requests of recording devices"},
		// A class of pupils tests its connections. Each test connects up to five times.
		ClassConnectionTests: {Quota: quota(30, time.Minute), Per: PerAddress, What: "connection tests"},
		// The device that adds the others gathers those that come within 0.3 seconds.
		ClassGroups: {Quota: quota(60, 10*time.Second), Per: PerCaller, What: "changes of the meeting's keys"},
		// One device commits for all. In a group of 1,000 devices, a commit that
		// adds one has 0.9 MB with its welcome, which has 0.7 kB of each device,
		// both in base64. The next addition waits for 0.3 seconds, so in ten
		// seconds there are 30 MB at most. Adding all thousand takes 9 MB.
		ClassGroupSize: {Quota: quota(32<<10, 10*time.Second), Per: PerAddress, What: "kilobytes of changes of meetings' keys"},
		// One address can use at most half of it.
		ClassRoomGroupSize:   {Quota: quota(64<<10, 10*time.Second), Per: PerSubject, What: "kilobytes of changes of the meeting's keys in one room"},
		ClassTokens:          {Quota: quota(600, time.Minute), Per: PerCaller, What: "tokens and join links"},
		ClassAnnouncements:   {Quota: quota(10, time.Minute), Per: PerSubject, What: "announcements in one room"},
		ClassWebhookTest:     {Quota: quota(10, time.Minute), Per: PerCaller, What: "webhook tests"},
		ClassWebhookRecover:  {Quota: quota(10, time.Minute), Per: PerCaller, What: "webhook recoveries"},
		ClassCalendarConnect: {Quota: quota(10, time.Minute), Per: PerCaller, What: "tries to connect a calendar"},
		ClassCalendarFeed:    {Quota: quota(30, time.Minute), Per: PerSubject, What: "requests of one calendar feed"},
	}}
}

// countRequest counts a request in every class that it belongs to, and sets the
// headers that say how much is left.
func (x *exchange) countRequest() error {
	if x.op.hidden {
		return nil
	}
	var public, general string
	if x.op.Public { // a seat is easy to get, so a ticket must not lift the limit of an address without one
		public = ClassPublic
	}
	if x.subject != "" {
		general = ClassRequests
	}
	for _, name := range []string{public, general, x.op.Limit} {
		if name == "" {
			continue
		}
		if err := x.count(name); err != nil {
			return err
		}
	}
	return x.countWrite()
}

// countWrite counts a change by a person with a ticket. Seats are easy to get,
// so a limit for each seat would not bound somebody who takes many.
func (x *exchange) countWrite() error {
	group := x.op.group
	if !group.tickets || group.cookie != "" || x.op.Public || x.op.NoTurn || !x.op.writes() {
		return nil
	}
	return x.countInRoom(ClassMeetingWrites, ClassRoomWrites, 1)
}

// countInRoom counts n in a class for the caller's address, and in another one for the
// room, unless the caller is a host there.
func (x *exchange) countInRoom(ofAddress, ofRoom string, n int) error {
	if err := x.take(ofAddress, countersOf(x.edge.limits.Classes[ofAddress], x.edge.ClientAddress(x.r)), n); err != nil {
		return err
	}
	room, _ := x.r.Context().Value(roomKey).(string)
	if room == "" {
		return nil
	}
	return x.take(ofRoom, x.counterFor(ofRoom, room), n)
}

// CountSize counts the size of something that a person with a ticket wants to have
// stored, in kilobytes, in a class for their address and in one for their room. Their
// requests are counted already; this is for those that may be large.
func CountSize(ctx context.Context, ofAddress, ofRoom string, bytes int) error {
	x := exchangeOf(ctx)
	if x == nil {
		return nil
	}
	return x.countInRoom(ofAddress, ofRoom, (bytes+1023)>>10)
}

// InRoom is for an Authenticator. It notes the room of the caller, whose
// changes then count together with those of the others there.
func InRoom(ctx context.Context, room string) context.Context {
	return context.WithValue(ctx, roomKey, room)
}

// changesAtOnce is how many changes by people from one address run at the same
// time. SQLite runs them one after the other, in a millisecond or two each. An
// address may send a burst of hundreds within its limits; others then wait for
// these few only, not for the whole burst.
const changesAtOnce = 16

// A change waits at most turnWait for its turn, so that changes that hang do
// not block all later ones from their address. After a refusal the caller may
// try again in turnRetry.
const (
	turnWait  = 5 * time.Second
	turnRetry = 2 * time.Second
)

// answerInTurn answers once one more change from this address may run. It does
// not hold API keys back: companies own them, and their limits keep bursts
// small.
func (x *exchange) answerInTurn(do work, values []string, body []byte) (answer, error) {
	if x.edge.limits.Off || !x.op.group.tickets || !x.op.writes() || x.op.NoTurn {
		return x.answer(do, values, body)
	}
	done, err := x.takeTurn()
	if err != nil {
		return answer{}, err
	}
	defer done()
	return x.answer(do, values, body)
}

// takeTurn waits for a turn of the caller's address.
func (x *exchange) takeTurn() (done func(), err error) {
	near := countersOf(Class{}, x.edge.ClientAddress(x.r))[0].subject
	waiting, cancel := context.WithTimeout(x.r.Context(), turnWait)
	defer cancel()
	done, err = x.edge.turns.Take(waiting, near)
	if err != nil && x.r.Context().Err() == nil {
		return nil, fault.Down(api.CodeServiceUnavailable, "Too many changes from your network wait at this moment. Try again in a few seconds.", turnRetry, nil)
	}
	return done, err //nolint:wrapcheck // wrapped inside
}

// Count counts in a PerSubject class for a subject that only the handler can
// name, such as the account whose password is tried. A handler also uses it for
// something that people share, such as the announcements of a room: then
// requests that fail before the room is found do not use up its quota.
func Count(ctx context.Context, class, subject string) error {
	x := exchangeOf(ctx)
	if x == nil {
		return nil
	}
	return x.takeFor(class, subject)
}

// CountFrom counts like Count, for a subject and the caller's address together:
// requests from one network do not count for the others.
func CountFrom(ctx context.Context, class, subject string) error {
	x := exchangeOf(ctx)
	if x == nil {
		return nil
	}
	counters := countersOf(x.edge.limits.Classes[class], x.edge.ClientAddress(x.r))
	for i, c := range counters {
		counters[i].subject = subject + "/" + c.subject
	}
	return x.take(class, counters, 1)
}

// countFailure counts refused credentials. Beyond the limit the answer no
// longer says whether they were right.
func (x *exchange) countFailure(refusal error) error {
	if err := x.count(ClassFailedAttempts); err != nil {
		return err
	}
	return refusal
}

func (x *exchange) count(name string) error {
	class := x.edge.limits.Classes[name]
	if class.Per == PerCaller && x.subject != "" {
		return x.takeFor(name, x.subject)
	}
	return x.take(name, countersOf(class, x.edge.ClientAddress(x.r)), 1)
}

// takeFor counts one request of a class for a subject.
func (x *exchange) takeFor(name, subject string) error {
	return x.take(name, x.counterFor(name, subject), 1)
}

func (x *exchange) counterFor(name, subject string) []counter {
	return []counter{{Quota: x.edge.limits.Classes[name].Quota, subject: subject}}
}

// take counts a request of a class as n.
func (x *exchange) take(name string, counters []counter, n int) error {
	class := x.edge.limits.Classes[name]
	if x.edge.limits.Off || class.Count == 0 {
		return nil
	}
	ctx := x.r.Context()
	d, by, err := decide(ctx, name, counters, x.edge.taking(n))
	if err != nil {
		// Limits protect the service from its callers. If counting fails,
		// refusing everybody would do more harm.
		x.log().WarnContext(ctx, "a rate limit could not be counted", "class", name, "error", err)
		return nil
	}
	h := x.w.Header()
	h.Add("RateLimit-Policy", fmt.Sprintf("%q;q=%d;w=%d", name, by.Count, wholeSeconds(by.Window)))
	h.Add("RateLimit", fmt.Sprintf("%q;r=%d;t=%d", name, max(d.Remaining, 0), wholeSeconds(d.Reset)))
	joinHeader(h, "RateLimit-Policy")
	joinHeader(h, "RateLimit")
	if d.Allowed {
		return nil
	}
	f := fault.New(fault.RateLimited, api.CodeRateLimited, fmt.Sprintf(
		"At most %d %s%s are allowed in %s. Try again in %s.", by.Count, class.What, by.of, formatDuration(by.Window), formatDuration(d.Reset)))
	f.RetryAfter = max(d.Reset, time.Second)
	return f
}

// limiterCall is one of two methods of a limiter: Take counts the request, Look only
// says whether it would be allowed.
type limiterCall func(ctx context.Context, subject string, q limit.Quota) (limit.Decision, error)

// taking calls Take for a request that counts as n.
func (e *Edge) taking(n int) limiterCall {
	return func(ctx context.Context, subject string, q limit.Quota) (limit.Decision, error) {
		return e.limiter.Take(ctx, subject, q, n)
	}
}

// decide asks about every counter and returns the decision of the tightest one.
// It stops at the first refusal: requests of one /64 network beyond its limit
// do not use up the quota of its site.
func decide(ctx context.Context, name string, counters []counter, ask limiterCall) (tightest limit.Decision, by counter, err error) {
	for i, c := range counters {
		d, err := ask(ctx, name+"/"+c.subject, c.Quota)
		if err != nil || !d.Allowed {
			return d, c, err
		}
		if i == 0 || d.Remaining < tightest.Remaining {
			tightest, by = d, c
		}
	}
	return tightest, by, nil
}

// Count counts a request outside of any operation in a PerAddress class, and
// returns how long to wait, like Wait.
func (e *Edge) Count(r *http.Request, name string) time.Duration {
	return e.ask(r, name, countersOf(e.limits.Classes[name], e.ClientAddress(r)), e.taking(1))
}

// Wait is how long the caller has to wait because too much was counted in a
// PerAddress class; zero: not at all.
func (e *Edge) Wait(r *http.Request, name string) time.Duration {
	return e.ask(r, name, countersOf(e.limits.Classes[name], e.ClientAddress(r)), e.limiter.Look)
}

// CountFor counts a request outside of any operation in a PerSubject class, and
// returns how long to wait, like Wait.
func (e *Edge) CountFor(r *http.Request, name, subject string) time.Duration {
	return e.ask(r, name, []counter{{Quota: e.limits.Classes[name].Quota, subject: subject}}, e.taking(1))
}

func (e *Edge) ask(r *http.Request, name string, counters []counter, limiter limiterCall) time.Duration {
	class := e.limits.Classes[name]
	if e.limits.Off || class.Count == 0 {
		return 0
	}
	d, _, err := decide(r.Context(), name, counters, limiter)
	if err != nil { // see exchange.take
		e.config.Logger.WarnContext(r.Context(), "a rate limit could not be counted", "class", name, "error", err)
		return 0
	}
	if d.Allowed {
		return 0
	}
	return max(d.Reset, time.Second)
}

// joinHeader joins the values of a list header in one line.
func joinHeader(h http.Header, name string) { h.Set(name, strings.Join(h.Values(name), ", ")) }

// formatDuration formats a duration for people, rounded up to the unit.
func formatDuration(d time.Duration) string {
	switch seconds := max(wholeSeconds(d), 1); {
	case seconds == 1:
		return "1 second"
	case seconds == 60:
		return "a minute"
	case seconds == 3600:
		return "an hour"
	case seconds%60 == 0:
		return fmt.Sprintf("%d minutes", seconds/60)
	default:
		return fmt.Sprintf("%d seconds", seconds)
	}
}
