package main

import (
	"context"
	"time"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/config"
	"github.com/conclave-rooms/conclave/internal/identity"
	"github.com/conclave-rooms/conclave/internal/server"
)

// inviting holds the settings of commands that invite people.
type inviting struct {
	common
	config.Mail
}

// with opens the data for one function, with mail if it is configured.
func (c *inviting) with(ctx context.Context, o *output, do func(*desk) error) error {
	if err := c.Mail.Check(); err != nil { //nolint:staticcheck // this checks the mail settings; open checks the data
		return err
	}
	sender, err := server.NewMailer(c.Mail, time.Now)
	if err != nil {
		return err
	}
	return c.common.with(ctx, o, func(d *desk) error {
		d.identity.Mail = sender
		return do(d)
	})
}

// invited is an invitation in JSON. It is empty for people who already have a
// password.
type invited struct {
	URL       string    `json:"invitation_url,omitempty"`
	ExpiresAt *api.Time `json:"invitation_expires_at,omitempty"`
	Mailed    *bool     `json:"invitation_mailed,omitempty"`
}

func invitedBy(inv *identity.Invitation) invited {
	if inv == nil {
		return invited{}
	}
	at := api.At(inv.ExpiresAt)
	return invited{URL: inv.URL, ExpiresAt: &at, Mailed: &inv.Mailed}
}

// invitation says how a person gets in. It prints the link only if it was not
// mailed, because anybody with the link can sign in as that person.
func (o *output) invitation(inv *identity.Invitation) {
	if inv == nil {
		return
	}
	until := inv.ExpiresAt.UTC().Format(time.DateTime) + " UTC"
	if inv.Mailed {
		o.line("An invitation was sent to %s. It works once, until %s.", inv.Email, until)
		return
	}
	if inv.MailError != nil {
		_, _ = o.err.Write([]byte("The invitation could not be mailed: " + inv.MailError.Error() + "\n"))
	}
	o.line("Give %s this link to choose a password. It works once, until %s:\n\n  %s\n", inv.Email, until, inv.URL)
}
