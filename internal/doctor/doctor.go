package doctor

import (
	"context"
	"crypto/x509"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/conclave-rooms/conclave/internal/config"
)

// Verdict says how a check ended.
type Verdict string

// The verdicts.
const (
	OK      Verdict = "ok"
	Warning Verdict = "warning" // it works, or may work; somebody should look
	Failed  Verdict = "failed"
	Skipped Verdict = "skipped" // not configured, or it needs what failed before
)

// Finding is what a check found.
type Finding struct {
	Check   string  `json:"check"`
	Verdict Verdict `json:"verdict"`
	Found   string  `json:"found"`
	Advice  string  `json:"advice,omitempty"` // what to do; none when it is ok
}

// Options are what is examined.
type Options struct {
	Config config.Serve
	// Key is an API key with which a call is tried; "": none is tried.
	Key string
	// Trust has the root certificates of servers; nil: those that the system trusts.
	Trust *x509.CertPool
	// Now is this machine's clock.
	Now func() time.Time
}

// check is one step.
type check struct {
	name  string
	needs []string // checks that must not have failed
	run   func(ctx context.Context, o *Options) Finding
}

// checks lists the steps in their order.
func checks() []check {
	return []check{
		{"settings", nil, settings},
		{"data directory", []string{"settings"}, directory},
		{"open files", nil, openFiles},
		{"database", []string{"settings"}, database},
		{"clock", []string{"settings", "database"}, clock},
		{"redis", []string{"settings"}, redisAnswers},
		{"recordings", []string{"settings"}, bucket},
		{"mail", []string{"settings"}, mailServer},
		{"identity provider", []string{"settings"}, identityProvider},
		{"name", []string{"settings"}, nameLeads},
		{"service here", []string{"settings"}, serviceHere},
		{"http port", []string{"settings"}, httpPort},
		{"media ports", []string{"settings"}, mediaPorts},
		{"media server", []string{"settings"}, mediaServer},
		{"public address", []string{"settings", "name"}, publicAddress},
		{"certificate", []string{"settings", "name"}, certificate},
		{"websocket", []string{"settings", "name", "public address"}, webSocket},
		{"call over UDP", []string{"settings", "name", "public address", "websocket"}, callOverUDP},
		{"call over TCP", []string{"settings", "name", "public address", "websocket"}, callOverTCP},
		{"call through TURN over UDP", []string{"settings", "name", "public address", "websocket"}, callThroughTURNOverUDP},
		{"call through TURN over TLS", []string{"settings", "name", "public address", "websocket"}, callThroughTURNOverTLS},
	}
}

// checkFor bounds one check.
const checkFor = 20 * time.Second

// Examine runs every check, and tells each finding at once.
func Examine(ctx context.Context, o Options, tell func(Finding)) []Finding {
	var all []Finding
	broken := map[string]bool{}
	for _, c := range checks() {
		f := o.examine(ctx, c, broken)
		f.Check, f.Found = c.name, strings.Join(strings.Fields(f.Found), " ") // some errors have several lines
		broken[c.name] = f.Verdict == Failed
		all = append(all, f)
		tell(f)
	}
	return all
}

func (o *Options) examine(ctx context.Context, c check, broken map[string]bool) Finding {
	if i := slices.IndexFunc(c.needs, func(name string) bool { return broken[name] }); i >= 0 {
		return skipped("Not checked, because it needs this: %s.", c.needs[i])
	}
	ctx, cancel := context.WithTimeout(ctx, checkFor)
	defer cancel()
	return c.run(ctx, o)
}

// Healthy says whether nothing failed.
func Healthy(all []Finding) bool {
	return !slices.ContainsFunc(all, func(f Finding) bool { return f.Verdict == Failed })
}

func ok(format string, args ...any) Finding {
	return Finding{Verdict: OK, Found: fmt.Sprintf(format, args...)}
}

func skipped(format string, args ...any) Finding {
	return Finding{Verdict: Skipped, Found: fmt.Sprintf(format, args...)}
}

func failed(advice, format string, args ...any) Finding {
	return Finding{Verdict: Failed, Found: fmt.Sprintf(format, args...), Advice: advice}
}

func warning(advice, format string, args ...any) Finding {
	return Finding{Verdict: Warning, Found: fmt.Sprintf(format, args...), Advice: advice}
}
