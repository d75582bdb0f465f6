package main

import (
	"context"
	"fmt"
	"log/slog"

	"github.com/coreos/go-systemd/v22/daemon"

	"github.com/conclave-rooms/conclave/internal/loop"
)

// tellManager tells a service manager that speaks systemd's protocol that the
// service answers. Until ctx ends, it also says at intervals that the process
// is alive, if the manager asks for that. Then it says that the service stops.
// Without such a manager it does nothing. See sd_notify(3).
func tellManager(ctx context.Context, log *slog.Logger) {
	failed := func(err error) { log.WarnContext(ctx, "the service manager was not told", "error", err) }
	say := func(what string) error {
		_, err := daemon.SdNotify(false, what)
		if err != nil {
			return fmt.Errorf("say %s: %w", what, err)
		}
		return nil
	}
	if err := say(daemon.SdNotifyReady); err != nil {
		failed(err)
	}
	context.AfterFunc(ctx, func() { _ = say(daemon.SdNotifyStopping) })
	within, err := daemon.SdWatchdogEnabled(false)
	if err != nil {
		failed(err)
	}
	if within <= 0 {
		return
	}
	go loop.Every(ctx, within/3, func(context.Context) error { return say(daemon.SdNotifyWatchdog) }, failed)
}
