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

// bridge writes LiveKit's log into ours, one level lower. LiveKit logs every
// step of every connection as information and warns about every effect of a
// lost network; for an operator the first is debugging and the second
// information. When LiveKit fails us, a call of ours fails too, and that
// failure is logged at its own level.
//
// It only takes over plain values: the structs that LiveKit logs hold session
// descriptions and addresses. Lines that people can cause at will are left out when
// they come too often (repeats.go). What the service counts or follows in the log
// does not depend on whether a line is written.
type bridge struct {
	log *slog.Logger
	// network is the part of the network library below LiveKit that logs; "" for
	// LiveKit itself. Only its errors are logged, as LiveKit does it.
	network string
	// repeats leaves out lines that come too often.
	repeats *repeats
	// guard counts the data channels of the session to which this logger belongs.
	guard   *guard
	session *session
	// rooms reads the names of rooms from the values of new loggers.
	rooms *roster
}

var _ logger.Logger = bridge{}

// Debugw drops lines that only help LiveKit's developers.
func (b bridge) Debugw(string, ...any) {}

// Infow logs one step.
func (b bridge) Infow(msg string, kv ...any) {
	if msg == channelAdded {
		b.guard.opened(b.session)
	}
	if b.network == "" {
		b.write(slog.LevelDebug, msg, nil, kv)
	}
}

// Warnw logs a problem that LiveKit handled.
func (b bridge) Warnw(msg string, err error, kv ...any) {
	if b.network == "" {
		b.write(slog.LevelInfo, msg, err, kv)
	}
}

// Errorw logs a problem that LiveKit did not handle.
func (b bridge) Errorw(msg string, err error, kv ...any) {
	b.write(slog.LevelWarn, msg, err, kv)
	if msg == recovered {
		// LiveKit exits after this line, or may do so. The panic goes to
		// standard error, where Go would have written it.
		_, _ = fmt.Fprintf(os.Stderr, "panic: %v\n\n%s\n", err, debug.Stack())
	}
}

// recovered is the line that LiveKit logs about a panic in one of its workers.
const recovered = "recovered panic"

func (b bridge) write(level slog.Level, msg string, err error, kv []any) {
	ctx := context.Background()
	if !b.log.Enabled(ctx, level) {
		return
	}
	text := msg
	if b.network != "" {
		text = b.network // it writes addresses and errors into its texts, so any number of them differ
	}
	left, ok := b.repeats.allow(text, level)
	if !ok {
		return
	}
	attrs := plain(kv)
	if left > 0 {
		attrs = append(attrs, slog.Int(leftOut, left))
	}
	if err != nil {
		attrs = append(attrs, slog.String("error", redact(err.Error())))
	}
	b.log.LogAttrs(ctx, level, redact(msg), attrs...) //nolint:sloglint // the message is LiveKit's
}

// plain keeps the pairs with a plain value.
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
			// LiveKit has string types of its own for the names of rooms and
			// identities.
			if s := reflect.ValueOf(v); s.IsValid() && s.Kind() == reflect.String {
				attrs = append(attrs, slog.String(name, redact(s.String())))
			}
		}
	}
	return attrs
}

// token matches a JSON Web Token. LiveKit repeats a token that it refuses in
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
	b.log, b.session = b.log.With(args...), b.session.with(kv)
	b.rooms.hear(kv)
	return b
}

// WithUnlikelyValues is WithValues for lines that are rarely written.
func (b bridge) WithUnlikelyValues(kv ...any) logger.UnlikelyLogger {
	return logger.NewUnlikelyLogger(b, kv...)
}

// WithName does nothing: all lines are marked as LiveKit's.
func (b bridge) WithName(string) logger.Logger { return b }

// WithComponent names the part of LiveKit that logs.
func (b bridge) WithComponent(component string) logger.Logger {
	if strings.HasPrefix(component, "pion") {
		b.network = component
	}
	b.log = b.log.With("component", component)
	return b
}

// WithCallDepth does nothing: source lines of LiveKit are not logged.
func (b bridge) WithCallDepth(int) logger.Logger { return b }

// WithItemSampler does nothing: lines are not sampled.
func (b bridge) WithItemSampler() logger.Logger { return b }

// WithoutSampler does nothing: lines are not sampled.
func (b bridge) WithoutSampler() logger.Logger { return b }

// WithDeferredValues would add values that become known later. Lines are
// written at once here, so they lack those values.
func (b bridge) WithDeferredValues() (logger.Logger, logger.DeferredFieldResolver) {
	return b, zaputil.NoOpDeferrer{}
}
