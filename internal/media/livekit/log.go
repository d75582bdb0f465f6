package livekit

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"reflect"
	"regexp"
	"runtime/debug"
	"strings"
	"time"

	"github.com/livekit/protocol/logger"
	"github.com/livekit/protocol/logger/zaputil"
)

// bridge brings LiveKit's log into ours, one level lower. LiveKit tells every
// step of every connection as information, and warns of everything a lost
// network does; to somebody who runs this service the one is debugging and the
// other information. Where LiveKit fails us, a call of ours fails as well, and
// that is logged as what it is.
//
// Only plain values are taken over: the structs LiveKit logs hold session
// descriptions and addresses.
type bridge struct {
	log *slog.Logger
	// network: this is the network library below LiveKit, which LiveKit itself
	// only listens to when it reports an error.
	network bool
	// guard hears of what participants do; who is the one this logger is of.
	guard *guard
	who   *session
}

var _ logger.Logger = bridge{}

// Debugw drops what only LiveKit's own authors can use.
func (b bridge) Debugw(string, ...any) {}

// Infow logs one step.
func (b bridge) Infow(msg string, kv ...any) {
	if msg == channelAdded {
		b.guard.opened(b.who)
	}
	if !b.network {
		b.write(slog.LevelDebug, msg, nil, kv)
	}
}

// Warnw logs a trouble LiveKit got over.
func (b bridge) Warnw(msg string, err error, kv ...any) {
	if !b.network {
		b.write(slog.LevelInfo, msg, err, kv)
	}
}

// Errorw logs a trouble it did not.
func (b bridge) Errorw(msg string, err error, kv ...any) {
	b.write(slog.LevelWarn, msg, err, kv)
	if msg == recovered {
		// LiveKit is about to exit, or may be. What Go would have written of a
		// panic goes where Go would have written it.
		_, _ = fmt.Fprintf(os.Stderr, "panic: %v\n\n%s\n", err, debug.Stack())
	}
}

// recovered is what LiveKit logs of a panic in one of its workers.
const recovered = "recovered panic"

func (b bridge) write(level slog.Level, msg string, err error, kv []any) {
	ctx := context.Background()
	if !b.log.Enabled(ctx, level) {
		return
	}
	attrs := plain(kv)
	if err != nil {
		attrs = append(attrs, slog.String("error", redact(err.Error())))
	}
	b.log.LogAttrs(ctx, level, redact(msg), attrs...) //nolint:sloglint // the message is LiveKit's
}

// plain keeps the pairs whose value is a plain one.
func plain(kv []any) []slog.Attr {
	attrs := make([]slog.Attr, 0, len(kv)/2+1)
	for i := 0; i+1 < len(kv); i += 2 {
		name := fmt.Sprint(kv[i])
		switch v := kv[i+1].(type) {
		case string:
			attrs = append(attrs, slog.String(name, redact(v)))
		case bool, int, int32, int64, uint32, uint64, float32, float64, time.Duration, time.Time:
			attrs = append(attrs, slog.Any(name, v))
		case error:
			attrs = append(attrs, slog.String(name, redact(v.Error())))
		default:
			// Names of rooms and identities have string types of LiveKit's own.
			if s := reflect.ValueOf(v); s.IsValid() && s.Kind() == reflect.String {
				attrs = append(attrs, slog.String(name, redact(s.String())))
			}
		}
	}
	return attrs
}

// token matches a JSON Web Token. LiveKit repeats a token it did not like in
// the text of the error.
var token = regexp.MustCompile(`eyJ[\w-]+\.[\w-]+\.[\w-]*`)

func redact(s string) string { return token.ReplaceAllString(s, "[redacted]") }

// WithValues adds pairs to every later line.
func (b bridge) WithValues(kv ...any) logger.Logger {
	attrs := plain(kv)
	args := make([]any, len(attrs))
	for i, a := range attrs {
		args[i] = a
	}
	b.log, b.who = b.log.With(args...), b.who.with(kv)
	return b
}

// WithUnlikelyValues is WithValues for lines that are rarely written.
func (b bridge) WithUnlikelyValues(kv ...any) logger.UnlikelyLogger {
	return logger.NewUnlikelyLogger(b, kv...)
}

// WithName does nothing: all of it is LiveKit's.
func (b bridge) WithName(string) logger.Logger { return b }

// WithComponent names the part of LiveKit that speaks.
func (b bridge) WithComponent(component string) logger.Logger {
	b.network = b.network || strings.HasPrefix(component, "pion")
	b.log = b.log.With("component", component)
	return b
}

// WithCallDepth does nothing: we do not log source lines of LiveKit.
func (b bridge) WithCallDepth(int) logger.Logger { return b }

// WithItemSampler does nothing: we do not sample.
func (b bridge) WithItemSampler() logger.Logger { return b }

// WithoutSampler does nothing: we do not sample.
func (b bridge) WithoutSampler() logger.Logger { return b }

// WithDeferredValues would add values found out later; lines are written at
// once here, so they miss them.
func (b bridge) WithDeferredValues() (logger.Logger, logger.DeferredFieldResolver) {
	return b, zaputil.NoOpDeferrer{}
}
