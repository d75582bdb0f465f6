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

// What limits count for.
const (
	PerCaller  Per = iota + 1 // an API key, a seat
	PerAddress                // the caller's address; of IPv6 its /64, and more for its /48
	PerSubject                // whatever the handler names, once it has found it: it counts by itself, with Count
)

// Class is one kind of request that is limited.
type Class struct {
	limit.Quota // a Count of zero: no limit
	Per         Per
	What        string // what is counted, for the sentence of a refusal
}

// The classes that belong to no operation.
const (
	ClassRequests       = "requests"              // everything, per caller
	ClassPublic         = "public"                // operations without credentials, per address
	ClassFailedAttempts = "failed_authentication" // credentials that were refused, per address
	ClassSignInAccount  = "sign_in_account"       // tries of one account's password, from one network or known device
	// Tries of one account's password from all devices that are new to it.
	ClassSignInNewDevices = "sign_in_new_devices"
	ClassRefusedMedia     = "refused_connections" // connections with tokens that are not ours, per address
	ClassConnections      = "connections"         // connections of one seat, from anywhere
	ClassAllConnections   = "meeting_connections" // connections of people with good tokens, per address
	ClassMeetingWrites    = "meeting_writes"      // what people with tickets change, per address
	ClassRoomWrites       = "room_writes"         // what people with tickets of one room change, together
	ClassCalendarFeed     = "calendar_feed"       // requests of one person's feed, from anywhere
)

// Limits says how often what may be asked. The zero value means
// DefaultLimits.
type Limits struct {
	Off     bool
	Classes map[string]Class
}

// DefaultLimits are the limits of the contract, in a map of the caller's own.
func DefaultLimits() Limits {
	quota := func(n int, window time.Duration) limit.Quota { return limit.Quota{Count: n, Window: window} }
	return Limits{Classes: map[string]Class{
		ClassRequests: {Quota: quota(100, 5*time.Second), Per: PerCaller, What: "requests"},
		// Two hundred people of one office come to a meeting at once, and ask
		// three things each: who they are, what the room is, and for a seat.
		ClassPublic:         {Quota: quota(600, 10*time.Second), Per: PerAddress, What: "requests"},
		ClassFailedAttempts: {Quota: quota(60, time.Minute), Per: PerAddress, What: "failed authentications"},
		// A browser whose connection was refused asks once more, to learn why.
		ClassRefusedMedia: {Quota: quota(120, time.Minute), Per: PerAddress, What: "refused connections"},
		// A device without a network tries at most seventeen times in five
		// seconds, then gets itself a new token.
		ClassConnections: {Quota: quota(20, 10*time.Second), Per: PerSubject, What: "connections of one person"},
		// Two hundred people whose network or service was away come back, and
		// some of them try several times.
		ClassAllConnections: {Quota: quota(1000, 10*time.Second), Per: PerAddress, What: "connections"},
		// An office of two hundred signs in again after an update, through a
		// provider or with a password that some mistype. How often one account
		// may be tried is counted for itself.
		"sign_in":          {Quota: quota(600, time.Minute), Per: PerAddress, What: "tries to sign in"},
		ClassSignInAccount: {Quota: quota(10, 15*time.Minute), Per: PerSubject, What: "tries of one account's password"},
		// NIST SP 800-63B, 5.2.2, allows a hundred failures in a row.
		ClassSignInNewDevices: {Quota: quota(100, time.Hour), Per: PerSubject, What: "tries of one account's password from new devices"},
		// The same two hundred move to breakout rooms or vote, all at once.
		ClassMeetingWrites: {Quota: quota(300, 5*time.Second), Per: PerAddress, What: "changes in meetings"},
		// A thousand people do, and no address takes more than a half of it.
		ClassRoomWrites: {Quota: quota(1200, 10*time.Second), Per: PerSubject, What: "changes in one room"},
		// Fifty hosts of one office record, each with a part every ten seconds
		// or more often, and some catch up after their network was away.
		"recording_uploads": {Quota: quota(1200, time.Minute), Per: PerAddress, What: "requests of recording devices"},
		"tokens":            {Quota: quota(600, time.Minute), Per: PerCaller, What: "tokens and join links"},
		"announcements":     {Quota: quota(10, time.Minute), Per: PerSubject, What: "announcements in one room"},
		"webhook_test":      {Quota: quota(10, time.Minute), Per: PerCaller, What: "webhook tests"},
		"webhook_recover":   {Quota: quota(10, time.Minute), Per: PerCaller, What: "webhook recoveries"},
		"calendar_connect":  {Quota: quota(10, time.Minute), Per: PerCaller, What: "tries to connect a calendar"},
		ClassCalendarFeed:   {Quota: quota(30, time.Minute), Per: PerSubject, What: "requests of one calendar feed"},
	}}
}

// countRequest counts a request in every class it belongs to and tells the
// caller how it stands with them.
func (x *exchange) countRequest() error {
	if x.op.hidden {
		return nil
	}
	var public, general string
	if x.op.Public { // seats are easily had, so a ticket is no way around what an address may do without one
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

// countWrite counts what somebody with a ticket changes. Seats are easily had,
// so that their own limits bound nobody who takes many.
func (x *exchange) countWrite() error {
	door := x.op.door
	if !door.tickets || door.cookie != "" || x.op.Public || !x.op.writes() {
		return nil
	}
	if err := x.count(ClassMeetingWrites); err != nil {
		return err
	}
	room, _ := x.r.Context().Value(roomKey).(string)
	if room == "" {
		return nil
	}
	return x.takeFor(ClassRoomWrites, room)
}

// InRoom notes, for an Authenticator, in which room somebody is: what they
// change counts for it together with what the others there change.
func InRoom(ctx context.Context, room string) context.Context {
	return context.WithValue(ctx, roomKey, room)
}

// changesAtOnce is how many changes by people from one address are carried out
// at a time. SQLite carries out one after the other, in a millisecond or two: a
// burst of hundreds from one address, which its limits allow, waits by itself
// and keeps others waiting for these few only.
const changesAtOnce = 16

// A change waits for its turn for turnWait at most, so that changes that hang
// do not make all later ones from their address hang as well. Who is refused
// may come again after turnRetry.
const (
	turnWait  = 5 * time.Second
	turnRetry = 2 * time.Second
)

// answerInTurn answers once one more change from this address may be carried
// out. Keys are the company's, and have limits that keep their bursts small.
func (x *exchange) answerInTurn(do work, values []string, body []byte) (answer, error) {
	if x.edge.limits.Off || !x.op.door.tickets || !x.op.writes() || x.op.NoTurn {
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
	return done, err //nolint:wrapcheck // says what it was doing
}

// Count counts something that only the handler can name, such as the account
// whose password somebody tries, in a class that is PerSubject. What others
// share is counted there too, such as a room's announcements: a request that is
// refused before the handler found the room takes nothing from it.
func Count(ctx context.Context, class, subject string) error {
	x := exchangeOf(ctx)
	if x == nil {
		return nil
	}
	return x.takeFor(class, subject)
}

// CountFrom counts as Count does, for a subject and the address of the caller
// together: what comes from one network does not count for the others.
func CountFrom(ctx context.Context, class, subject string) error {
	x := exchangeOf(ctx)
	if x == nil {
		return nil
	}
	counters := countersOf(x.edge.limits.Classes[class], x.edge.ClientAddress(x.r))
	for i, c := range counters {
		counters[i].subject = subject + "/" + c.subject
	}
	return x.take(class, counters)
}

// countFailure counts refused credentials; beyond the limit the refusal says
// no more whether they were right.
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
	return x.take(name, countersOf(class, x.edge.ClientAddress(x.r)))
}

// takeFor counts one more of a class for a subject.
func (x *exchange) takeFor(name, subject string) error {
	return x.take(name, []counter{{Quota: x.edge.limits.Classes[name].Quota, subject: subject}})
}

func (x *exchange) take(name string, counters []counter) error {
	class := x.edge.limits.Classes[name]
	if x.edge.limits.Off || class.Count == 0 {
		return nil
	}
	ctx := x.r.Context()
	d, by, err := decide(ctx, name, counters, x.edge.limiter.Take)
	if err != nil {
		// A limit protects the service from its callers; that it cannot be
		// counted is no reason to refuse them all.
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
		"At most %d %s%s are allowed in %s. Try again in %s.", by.Count, class.What, by.of, spell(by.Window), spell(d.Reset)))
	f.RetryAfter = max(d.Reset, time.Second)
	return f
}

// asking is what a limiter is asked: to count, or only to look.
type asking func(ctx context.Context, subject string, q limit.Quota) (limit.Decision, error)

// decide asks about every counter, and gives the answer of the one that has
// the least left. The first refusal is the answer: what one /64 network asks
// beyond its limit takes nothing from the other networks of its site.
func decide(ctx context.Context, name string, counters []counter, ask asking) (tightest limit.Decision, by counter, err error) {
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

// Count counts what is no operation in a class that is per address, and says as
// Wait does how long to wait.
func (e *Edge) Count(r *http.Request, name string) time.Duration {
	return e.ask(r, name, countersOf(e.limits.Classes[name], e.ClientAddress(r)), e.limiter.Take)
}

// Wait says how long whoever asks has to wait because too much was counted in
// a class that is per address; zero: not at all.
func (e *Edge) Wait(r *http.Request, name string) time.Duration {
	return e.ask(r, name, countersOf(e.limits.Classes[name], e.ClientAddress(r)), e.limiter.Look)
}

// CountFor counts what is no operation in a class that is PerSubject, and says
// as Wait does how long to wait.
func (e *Edge) CountFor(r *http.Request, name, subject string) time.Duration {
	return e.ask(r, name, []counter{{Quota: e.limits.Classes[name].Quota, subject: subject}}, e.limiter.Take)
}

func (e *Edge) ask(r *http.Request, name string, counters []counter, limiter asking) time.Duration {
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

// joinHeader makes one line of a header that is a list.
func joinHeader(h http.Header, name string) { h.Set(name, strings.Join(h.Values(name), ", ")) }

// spell writes a time for people, rounded up to what they count in.
func spell(d time.Duration) string {
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
