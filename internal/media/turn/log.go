package turn

import (
	"context"
	"fmt"
	"log/slog"

	"github.com/pion/logging"
)

// logs makes loggers of the library.
type logs struct{ log *slog.Logger }

// NewLogger makes one.
func (l logs) NewLogger(string) logging.LeveledLogger { return quiet(l) }

// quiet logs what the library takes for a warning or an error, at debug level:
// strangers can cause all of these. It drops what the library says about each
// packet.
type quiet struct{ log *slog.Logger }

func (q quiet) write(msg string) {
	q.log.Debug("TURN", "library", msg)
}

func (q quiet) writef(format string, args []any) {
	if q.log.Enabled(context.Background(), slog.LevelDebug) {
		q.write(fmt.Sprintf(format, args...))
	}
}

// Trace and those below are the methods of logging.LeveledLogger.

func (q quiet) Trace(string)                      {}
func (q quiet) Tracef(string, ...any)             {}
func (q quiet) Debug(string)                      {}
func (q quiet) Debugf(string, ...any)             {}
func (q quiet) Info(msg string)                   { q.write(msg) }
func (q quiet) Infof(format string, args ...any)  { q.writef(format, args) }
func (q quiet) Warn(msg string)                   { q.write(msg) }
func (q quiet) Warnf(format string, args ...any)  { q.writef(format, args) }
func (q quiet) Error(msg string)                  { q.write(msg) }
func (q quiet) Errorf(format string, args ...any) { q.writef(format, args) }
