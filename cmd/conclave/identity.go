package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/fault"
	"github.com/conclave-rooms/conclave/internal/identity"
)

type workspacesCmd struct {
	Create workspacesCreate `cmd:"" help:"Make a workspace; its owner's account is made when the address is new."`
	List   workspacesList   `cmd:"" help:"List workspaces, personal ones included."`
}

type workspacesCreate struct {
	inviting

	Name  string `required:"" help:"Name of the workspace."`
	Owner string `required:"" help:"E-mail address of its owner." placeholder:"EMAIL"`
}

func (c *workspacesCreate) Run(ctx context.Context, o *output) error {
	c.begins = true
	return c.with(ctx, o, func(d *desk) error {
		w, owner, err := d.identity.CreateWorkspace(ctx, c.Name, c.Owner)
		if err != nil {
			return err
		}
		if c.JSON { // a program that wants the owner's invitation calls conclave members invite
			return o.json(map[string]any{"id": w.ID, "name": w.Name, "owner": map[string]string{"id": owner.ID, "email": owner.Email}})
		}
		inv, err := d.identity.InviteNew(ctx, owner.Email)
		if err != nil {
			return err
		}
		o.line("Workspace %s was made: %s, owned by %s.", w.Name, w.ID, owner.Email)
		o.invitation(inv)
		return nil
	})
}

type workspacesList struct{ common }

func (c *workspacesList) Run(ctx context.Context, o *output) error {
	return c.with(ctx, o, func(d *desk) error {
		list, err := d.identity.Workspaces(ctx)
		if err != nil {
			return err
		}
		if c.JSON {
			return o.json(api.ListOf(list, false))
		}
		rows := make([][]string, len(list))
		for i, w := range list {
			kind := "company"
			if w.Personal {
				kind = "personal"
			}
			rows[i] = []string{w.ID, w.Name, kind, w.CreatedAt.Format(time.DateTime)}
		}
		o.table([]string{"ID", "NAME", "KIND", "MADE"}, rows)
		return nil
	})
}

type membersCmd struct {
	Add    membersAdd    `cmd:"" help:"Add a member, or change a member's role."`
	Invite membersInvite `cmd:"" help:"Make a new invitation for somebody, such as a member who forgot their password."`
	Remove membersRemove `cmd:"" help:"Remove a member. Keys they made stop working at once."`
	List   membersList   `cmd:"" help:"List members."`
}

type membersAdd struct {
	inviting

	Workspace string `required:"" help:"Id of the workspace." placeholder:"ID"`
	Email     string `required:"" help:"E-mail address of the member."`
	Role      string `help:"owner, admin, member, or the name of a role made with conclave roles create; left out: member, or the role that a member has."`
}

func (c *membersAdd) Run(ctx context.Context, o *output) error {
	return c.with(ctx, o, func(d *desk) error {
		m, err := d.identity.AddMember(ctx, c.Workspace, c.Email, c.Role)
		if err != nil {
			return err
		}
		inv, err := d.identity.InviteNew(ctx, m.Email)
		if err != nil {
			return err
		}
		if c.JSON {
			return o.json(struct {
				identity.Member
				invited
			}{m, invitedBy(inv)})
		}
		o.line("%s is %s now.", m.Email, m.Role)
		o.invitation(inv)
		return nil
	})
}

type membersInvite struct {
	inviting

	Email string `required:"" help:"E-mail address of the account."`
}

func (c *membersInvite) Run(ctx context.Context, o *output) error {
	return c.with(ctx, o, func(d *desk) error {
		inv, err := d.identity.Invite(ctx, c.Email)
		if err != nil {
			return err
		}
		if c.JSON {
			return o.json(struct {
				Email string `json:"email"`
				invited
			}{inv.Email, invitedBy(&inv)})
		}
		o.invitation(&inv)
		return nil
	})
}

type membersRemove struct {
	common

	Workspace string `required:"" help:"Id of the workspace." placeholder:"ID"`
	Email     string `required:"" help:"E-mail address of the member."`
}

func (c *membersRemove) Run(ctx context.Context, o *output) error {
	return c.with(ctx, o, func(d *desk) error {
		if err := d.identity.RemoveMember(ctx, c.Workspace, c.Email); err != nil {
			return err
		}
		if c.JSON {
			return o.json(map[string]any{"email": c.Email, "removed": true})
		}
		o.line("%s is no longer a member.", c.Email)
		return nil
	})
}

type membersList struct {
	common

	Workspace string `required:"" help:"Id of the workspace." placeholder:"ID"`
}

func (c *membersList) Run(ctx context.Context, o *output) error {
	return c.with(ctx, o, func(d *desk) error {
		list, err := d.identity.Members(ctx, c.Workspace)
		if err != nil {
			return err
		}
		if c.JSON {
			return o.json(api.ListOf(list, false))
		}
		rows := make([][]string, len(list))
		for i, m := range list {
			rows[i] = []string{m.Email, m.Role, m.AccountID}
		}
		o.table([]string{"E-MAIL", "ROLE", "ACCOUNT"}, rows)
		return nil
	})
}

type rolesCmd struct {
	Create rolesCreate `cmd:"" help:"Make a role."`
}

type rolesCreate struct {
	common

	Workspace string   `required:"" help:"Id of the workspace." placeholder:"ID"`
	Name      string   `required:"" help:"Name of the role."`
	Rights    []string `help:"Rights of the role: manage_keys (API keys and webhooks), manage_rooms."`
}

func (c *rolesCreate) Run(ctx context.Context, o *output) error {
	return c.with(ctx, o, func(d *desk) error {
		r, err := d.identity.CreateRole(ctx, c.Workspace, c.Name, c.Rights)
		if err != nil {
			return err
		}
		if c.JSON {
			return o.json(r)
		}
		o.line("The role %s was made. Give it with: conclave members add --workspace %s --email EMAIL --role %q", r.Name, c.Workspace, r.Name)
		return nil
	})
}

type keysCmd struct {
	Create keysCreate `cmd:"" help:"Make a key. It is printed once and never again."`
	List   keysList   `cmd:"" help:"List a workspace's keys, newest first."`
	Revoke keysRevoke `cmd:"" help:"Revoke a key. It stops working at once."`
}

type keysCreate struct {
	common

	Workspace   string   `required:"" help:"Id of the workspace." placeholder:"ID"`
	Scopes      []string `required:"" help:"Scopes separated by commas, or all."`
	Name        string   `help:"What the key is for."`
	Environment string   `enum:"live,test" default:"live" help:"live or test."`
	Expires     *int     `enum:"0,30,90,365" help:"Days until the key expires: 30, 90 or 365; left out: never."`
	ExpiresAt   moment   `help:"Time at which the key expires instead, such as 2027-01-01T00:00:00Z." placeholder:"TIME"`
	CreatedBy   *string  `help:"E-mail address of the member whose rights the key has; left out: the workspace's first owner." placeholder:"EMAIL"`
}

func (c *keysCreate) Run(ctx context.Context, o *output) error {
	r, err := c.request()
	if err != nil {
		return err
	}
	return c.with(ctx, o, func(d *desk) error {
		if c.Expires != nil && *c.Expires > 0 {
			at := d.db.Now().AddDate(0, 0, *c.Expires)
			r.ExpiresAt = &at
		}
		key, k, err := d.identity.CreateKey(ctx, r)
		if err != nil {
			return err
		}
		if c.JSON {
			return o.json(map[string]any{
				"id": k.ID, "key": key, "workspace_id": k.WorkspaceID, "scopes": k.Scopes, "environment": k.Environment, "expires_at": k.ExpiresAt,
			})
		}
		o.line("%s", key)
		_, _ = o.err.Write([]byte("This is the only time the key is shown. Its id is " + k.ID + ".\n"))
		return nil
	})
}

// request is the request for the key, without the time that --expires stands for.
func (c *keysCreate) request() (identity.KeyRequest, error) {
	scopes, err := scopesOf(c.Scopes)
	if err != nil {
		return identity.KeyRequest{}, err
	}
	r := identity.KeyRequest{WorkspaceID: c.Workspace, Name: c.Name, Scopes: scopes, Environment: c.Environment}
	if c.CreatedBy != nil {
		if r.CreatedBy = strings.TrimSpace(*c.CreatedBy); r.CreatedBy == "" {
			return r, fault.BadParameter("created_by", "--created-by must be the e-mail address of a member; leave it out for the workspace's first owner.")
		}
	}
	if c.ExpiresAt.isSaid {
		if c.Expires != nil {
			return r, fault.BadParameter("expires", "Say either --expires or --expires-at, not both.")
		}
		r.ExpiresAt = &c.ExpiresAt.Time
	}
	return r, nil
}

// moment is a time on the command line. Any time may be said, also the one that is
// time.Time's zero.
type moment struct {
	time.Time

	isSaid bool
}

// UnmarshalText parses it.
func (m *moment) UnmarshalText(text []byte) error {
	at, err := api.ParseTime(string(text))
	if err != nil {
		return fmt.Errorf("%q is not a time such as 2027-01-01T00:00:00Z", text)
	}
	m.Time, m.isSaid = at.Time, true
	return nil
}

// scopesOf parses --scopes; all, alone, stands for every scope.
func scopesOf(words []string) ([]api.Scope, error) {
	scopes := make([]api.Scope, len(words))
	for i, w := range words {
		scopes[i] = api.Scope(strings.TrimSpace(w))
	}
	switch {
	case !slices.Contains(scopes, "all"):
		return scopes, nil
	case len(scopes) > 1:
		return nil, fault.BadParameter("scopes", "--scopes must be all alone, or name scopes.")
	default:
		return api.Scopes(), nil
	}
}

type keysList struct {
	common

	Workspace string `required:"" help:"Id of the workspace." placeholder:"ID"`
}

func (c *keysList) Run(ctx context.Context, o *output) error {
	return c.with(ctx, o, func(d *desk) error {
		list, err := d.identity.Keys(ctx, c.Workspace)
		if err != nil {
			return err
		}
		if c.JSON {
			return o.json(api.ListOf(list, false))
		}
		rows := make([][]string, len(list))
		for i, k := range list {
			state := "active"
			switch {
			case k.Revoked:
				state = "revoked"
			case k.ExpiresAt != nil && !k.ExpiresAt.After(d.db.Now()):
				state = "expired"
			}
			rows[i] = []string{k.ID, k.Prefix, k.Name, state, when(k.ExpiresAt), when(k.LastUsedAt)}
		}
		o.table([]string{"ID", "PREFIX", "NAME", "STATE", "EXPIRES", "LAST USED"}, rows)
		return nil
	})
}

func when(t *api.Time) string {
	if t == nil {
		return "never"
	}
	return t.Format(time.DateTime)
}

type keysRevoke struct {
	common

	KeyID string `arg:"" help:"Id of the key."`
}

func (c *keysRevoke) Run(ctx context.Context, o *output) error {
	return c.with(ctx, o, func(d *desk) error {
		if err := d.identity.RevokeKey(ctx, c.KeyID); err != nil {
			return err
		}
		if c.JSON {
			return o.json(map[string]any{"id": c.KeyID, "revoked": true})
		}
		o.line("The key %s no longer works.", c.KeyID)
		return nil
	})
}
