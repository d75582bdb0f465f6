package rest

import (
	"context"
	"fmt"
	"net/http"
	"net/netip"
	"slices"
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
	PerAddress                // the caller's address; of IPv6 its /64
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
	ClassSignInAccount  = "sign_in_account"       // tries of one account's password, from anywhere
	ClassRefusedMedia   = "refused_connections"   // connections with tokens of nobody's, per address
	ClassConnections    = "connections"           // connections of one seat, from anywhere
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
		ClassRequests:       {Quota: quota(100, 5*time.Second), Per: PerCaller, What: "requests"},
		ClassPublic:         {Quota: quota(100, 5*time.Second), Per: PerAddress, What: "requests from one address"},
		ClassFailedAttempts: {Quota: quota(60, time.Minute), Per: PerAddress, What: "failed authentications from one address"},
		// A browser whose connection was refused asks once more, to learn why.
		ClassRefusedMedia: {Quota: quota(120, time.Minute), Per: PerAddress, What: "refused connections from one address"},
		// A device without a network tries at most seventeen times in five
		// seconds, then gets itself a new token.
		ClassConnections:   {Quota: quota(20, 10*time.Second), Per: PerSubject, What: "connections of one person"},
		"sign_in":          {Quota: quota(20, time.Minute), Per: PerAddress, What: "tries to sign in from one address"},
		ClassSignInAccount: {Quota: quota(10, 15*time.Minute), Per: PerSubject, What: "tries of one account's password"},
		"tokens":           {Quota: quota(600, time.Minute), Per: PerCaller, What: "tokens and join links"},
		"announcements":    {Quota: quota(10, time.Minute), Per: PerSubject, What: "announcements in one room"},
		"webhook_test":     {Quota: quota(10, time.Minute), Per: PerCaller, What: "webhook tests"},
		"webhook_recover":  {Quota: quota(10, time.Minute), Per: PerCaller, What: "webhook recoveries"},
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
	return nil
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
	return x.take(class, subject)
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
	return x.take(name, x.limitSubject(x.edge.limits.Classes[name]))
}

// take counts one more of a class for a subject.
func (x *exchange) take(name, subject string) error {
	class := x.edge.limits.Classes[name]
	if x.edge.limits.Off || class.Count == 0 {
		return nil
	}
	ctx := x.r.Context()
	d, err := x.edge.limiter.Take(ctx, name+"/"+subject, class.Quota)
	if err != nil {
		// A limit protects the service from its callers; that it cannot be
		// counted is no reason to refuse them all.
		x.log().WarnContext(ctx, "a rate limit could not be counted", "class", name, "error", err)
		return nil
	}
	h := x.w.Header()
	h.Add("RateLimit-Policy", fmt.Sprintf("%q;q=%d;w=%d", name, class.Count, wholeSeconds(class.Window)))
	h.Add("RateLimit", fmt.Sprintf("%q;r=%d;t=%d", name, max(d.Remaining, 0), wholeSeconds(d.Reset)))
	joinHeader(h, "RateLimit-Policy")
	joinHeader(h, "RateLimit")
	if d.Allowed {
		return nil
	}
	f := fault.New(fault.RateLimited, api.CodeRateLimited, fmt.Sprintf(
		"At most %d %s are allowed in %s. Try again in %s.", class.Count, class.What, spell(class.Window), spell(d.Reset)))
	f.RetryAfter = max(d.Reset, time.Second)
	return f
}

// Count counts what is no operation in a class that is per address.
func (e *Edge) Count(r *http.Request, name string) {
	e.ask(r, name, e.network(r), e.limiter.Take)
}

// Wait says how long whoever asks has to wait because too much was counted in
// a class that is per address; zero: not at all.
func (e *Edge) Wait(r *http.Request, name string) time.Duration {
	return e.ask(r, name, e.network(r), e.limiter.Look)
}

// CountFor counts what is no operation in a class that is PerSubject, and says
// as Wait does how long to wait.
func (e *Edge) CountFor(r *http.Request, name, subject string) time.Duration {
	return e.ask(r, name, subject, e.limiter.Take)
}

func (e *Edge) ask(
	r *http.Request, name, subject string, limiter func(ctx context.Context, subject string, q limit.Quota) (limit.Decision, error),
) time.Duration {
	class := e.limits.Classes[name]
	if e.limits.Off || class.Count == 0 {
		return 0
	}
	d, err := limiter(r.Context(), name+"/"+subject, class.Quota)
	if err != nil { // see exchange.count
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

// limitSubject names what a class counts for in this request.
func (x *exchange) limitSubject(class Class) string {
	switch class.Per {
	case PerCaller:
		if x.subject != "" {
			return x.subject
		}
	case PerAddress, PerSubject:
	}
	return x.edge.network(x.r)
}

// network is the part of the caller's address that stands for one caller: of
// an IPv6 address the first 64 bits, because the rest is the caller's to
// choose.
func (e *Edge) network(r *http.Request) string {
	address := e.ClientAddress(r)
	if address.Is6() {
		if prefix, err := address.Prefix(64); err == nil {
			return prefix.String()
		}
	}
	return address.String()
}

// ClientAddress is the address a request comes from. Behind trusted proxies
// it is the last address in X-Forwarded-For that is not one of them: what
// stands before it, anybody can write.
func (e *Edge) ClientAddress(r *http.Request) netip.Addr {
	peer, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return netip.Addr{}
	}
	address := peer.Addr().Unmap().WithZone("")
	hops := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
	for _, hop := range slices.Backward(hops) {
		if !e.trusts(address) {
			break
		}
		next, err := netip.ParseAddr(strings.TrimSpace(hop))
		if err != nil {
			break
		}
		address = next.Unmap().WithZone("")
	}
	return address
}

func (e *Edge) trusts(address netip.Addr) bool {
	return slices.ContainsFunc(e.config.TrustedProxies, func(p netip.Prefix) bool { return p.Contains(address) })
}

// spell writes a time for people, rounded up to what they count in.
func spell(d time.Duration) string {
	switch seconds := max(wholeSeconds(d), 1); seconds {
	case 1:
		return "1 second"
	case 60:
		return "a minute"
	default:
		return fmt.Sprintf("%d seconds", seconds)
	}
}
