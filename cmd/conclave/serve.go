package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/auth"
	"github.com/conclave-rooms/conclave/internal/config"
	"github.com/conclave-rooms/conclave/internal/identity"
	"github.com/conclave-rooms/conclave/internal/schema"
	"github.com/conclave-rooms/conclave/internal/server"
)

type serveCmd struct{ config.Serve }

func (c *serveCmd) Run(ctx context.Context, o *output) error {
	return serve(ctx, &c.Serve, o, nil)
}

// serve runs the service until ctx ends. It first completes the settings. It
// calls started once the service answers.
func serve(ctx context.Context, c *config.Serve, o *output, started func(*server.Server) error) error {
	if err := c.Check(); err != nil {
		return err
	}
	log := o.logger(c.LogFormat, c.LogLevel)
	s, err := server.New(ctx, *c, log, server.Options{Version: version})
	if err != nil {
		return err
	}
	defer s.Close()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	err = s.Run(ctx, func() {
		tellManager(ctx, log)
		if started != nil {
			if err := started(s); err != nil {
				cancel(err)
			}
		}
	})
	if cause := context.Cause(ctx); err == nil && cause != nil && !errors.Is(cause, context.Canceled) {
		err = cause
	}
	return err
}

type devCmd struct{ config.Serve }

func (c *devCmd) Run(ctx context.Context, o *output) error {
	c.WebhooksAllowPrivate, c.CalendarsAllowPrivate = true, true // so that receivers and calendar servers can run on this machine
	return serve(ctx, &c.Serve, o, func(s *server.Server) error { return welcome(ctx, s, c.Serve, o) })
}

// demo names what conclave dev makes on its first run.
const (
	demoWorkspace = "Demo"
	demoOwner     = "dev@localhost.localdomain"
	demoRoom      = "Demo room"
)

// welcome prints where the service is and how to try it.
func welcome(ctx context.Context, s *server.Server, c config.Serve, o *output) error {
	key, p, err := demoKey(ctx, s, c.Data.Data)
	if err != nil {
		return fmt.Errorf("make the demo workspace: %w", err)
	}
	rooms, _, err := s.Rooms.List(ctx, p, 100, "")
	if err != nil {
		return fmt.Errorf("look for the demo room: %w", err)
	}
	if len(rooms) == 0 {
		r, err := s.Rooms.Create(ctx, p, schema.Filled(api.RoomCreate{Name: demoRoom}), "meeting")
		if err != nil {
			return fmt.Errorf("make the demo room: %w", err)
		}
		rooms = append(rooms, r)
	}
	o.line(`
Conclave is ready.

  Address   %[1]s
  Room      %[1]s/%[2]s     open it twice and meet yourself
  API key   %[3]s
  Docs      %[1]s/docs

Try the API:

  curl -H "Authorization: Bearer %[3]s" %[1]s/api/v1/rooms

Webhooks and calendars may go to this machine, to private addresses and over http, which conclave serve refuses.
Data is kept in %[4]s. Stop with Ctrl+C.
`, c.PublicURL, rooms[len(rooms)-1].Code, key, c.Data.Data)
	return nil
}

// demoKey returns the key of the demo workspace, from the file that the first
// run left. It replaces a key that no longer works.
func demoKey(ctx context.Context, s *server.Server, dir string) (string, auth.Principal, error) {
	file := filepath.Join(dir, "dev.key")
	text, err := os.ReadFile(file) //nolint:gosec // the path is configuration
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", auth.Principal{}, fmt.Errorf("read the key: %w", err)
	}
	if p, _, err := s.Identity.Authenticate(ctx, strings.TrimSpace(string(text))); err == nil {
		return strings.TrimSpace(string(text)), p, nil
	}
	workspaceID, err := demoWorkspaceID(ctx, s)
	if err != nil {
		return "", auth.Principal{}, err
	}
	key, _, err := s.Identity.CreateKey(ctx, identity.KeyRequest{
		WorkspaceID: workspaceID, Name: "conclave dev", Scopes: api.Scopes(), Environment: identity.EnvironmentTest, ExpiresAt: nil,
	})
	if err != nil {
		return "", auth.Principal{}, err
	}
	if err := os.WriteFile(file, []byte(key+"\n"), 0o600); err != nil {
		return "", auth.Principal{}, fmt.Errorf("keep the key: %w", err)
	}
	p, _, err := s.Identity.Authenticate(ctx, key)
	return key, p, err
}

func demoWorkspaceID(ctx context.Context, s *server.Server) (string, error) {
	all, err := s.Identity.Workspaces(ctx)
	if err != nil {
		return "", err
	}
	for _, w := range all {
		if !w.Personal {
			return w.ID, nil
		}
	}
	w, _, err := s.Identity.CreateWorkspace(ctx, demoWorkspace, demoOwner)
	return w.ID, err
}
