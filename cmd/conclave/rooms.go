package main

import (
	"cmp"
	"context"
	"strings"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/auth"
	"github.com/conclave-rooms/conclave/internal/config"
	"github.com/conclave-rooms/conclave/internal/fault"
	"github.com/conclave-rooms/conclave/internal/rest"
	"github.com/conclave-rooms/conclave/internal/room"
	"github.com/conclave-rooms/conclave/internal/schema"
	"github.com/conclave-rooms/conclave/internal/server"
)

type roomsCmd struct {
	Create roomsCreate `cmd:"" help:"Make a room."`
	List   roomsList   `cmd:"" help:"List a workspace's rooms, newest first."`
}

type roomsCreate struct {
	common

	Workspace  string `required:"" help:"Id of the workspace." placeholder:"ID"`
	Name       string `required:"" help:"Name of the room, 1 to 80 characters."`
	Type       string `enum:"meeting,webinar" default:"meeting" help:"meeting, or webinar: hosts speak and an audience watches."`
	Encryption string `enum:"standard,strict" default:"standard" help:"standard, or strict: the keys exist only on people's devices."`
}

func (c *roomsCreate) Run(ctx context.Context, o *output) error {
	made, err := schema.Checked(api.RoomCreate{Name: c.Name, Settings: api.RoomSettingsUpdate{Encryption: api.Set(c.Encryption)}})
	if err != nil {
		return err
	}
	return c.with(ctx, o, func(d *desk) error {
		p, err := d.owner(ctx, c.Workspace)
		if err != nil {
			return err
		}
		r, err := d.rooms.Create(ctx, p, made, c.Type)
		if err != nil {
			return err
		}
		if c.JSON {
			return o.json(r.Object(c.PublicURL))
		}
		o.line("The room %s was made: %s/%s", r.Name, c.PublicURL, r.Code)
		return nil
	})
}

// owner is the principal of the workspace's first owner.
func (d *desk) owner(ctx context.Context, workspaceID string) (auth.Principal, error) {
	members, err := d.identity.Members(ctx, workspaceID)
	if err != nil {
		return auth.Principal{}, err
	}
	for _, m := range members {
		if m.Role == "owner" {
			return auth.Principal{WorkspaceID: workspaceID, AccountID: m.AccountID, ManagesAll: true}, nil
		}
	}
	return auth.Principal{}, fault.BadParameter("workspace", "The workspace has no owner; add one with conclave members add.")
}

type roomsList struct {
	common

	Workspace     string `required:"" help:"Id of the workspace." placeholder:"ID"`
	Limit         int    `default:"25" help:"How many rooms at most, 1 to 100."`
	StartingAfter string `help:"Id of a room: only rooms made before it." placeholder:"ID"`
}

func (c *roomsList) Run(ctx context.Context, o *output) error {
	if c.Limit < 1 || c.Limit > 100 {
		return fault.BadParameter("limit", "--limit must be 1 to 100.")
	}
	return c.with(ctx, o, func(d *desk) error {
		p, err := d.owner(ctx, c.Workspace)
		if err != nil {
			return err
		}
		rooms, more, err := d.rooms.List(ctx, p, c.Limit, c.StartingAfter)
		if err != nil {
			return aboutFlag("starting-after", err)
		}
		if c.JSON {
			return o.json(rest.ListOf(rooms, more, func(r room.Room) api.Room { return r.Object(c.PublicURL) }))
		}
		rows := make([][]string, len(rooms))
		for i, r := range rooms {
			rows[i] = []string{r.ID, r.Name, r.Settings.Type, c.PublicURL + "/" + r.Code}
		}
		o.table([]string{"ID", "NAME", "TYPE", "LINK"}, rows)
		return nil
	})
}

// aboutFlag names a flag in a refusal that names the API's parameter.
func aboutFlag(flag string, err error) error {
	param := strings.ReplaceAll(flag, "-", "_")
	f, ok := fault.As(err)
	if !ok || f.Param != param {
		return err
	}
	return fault.BadParameter(param, strings.Replace(f.Message, param, "--"+flag, 1))
}

type openapiCmd struct {
	PublicURL string `help:"Address of the service in the document." default:"http://localhost:8080" placeholder:"URL"`
}

func (c *openapiCmd) Run(o *output) error {
	address := config.Data{PublicURL: cmp.Or(c.PublicURL, config.DefaultPublicURL)}
	if err := address.Check(); err != nil {
		return err
	}
	doc, err := server.Document(address.PublicURL, version)
	if err != nil {
		return err
	}
	_, err = o.out.Write(append(doc, '\n'))
	return err //nolint:wrapcheck // standard output is gone
}
