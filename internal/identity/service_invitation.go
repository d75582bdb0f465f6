package identity

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/fault"
	"github.com/conclave-rooms/conclave/internal/id"
	"github.com/conclave-rooms/conclave/internal/mail"
)

// invitationLife is how long an invitation can be accepted.
const invitationLife = 7 * 24 * time.Hour

// Invitation lets a person choose the password of their account. Its URL
// contains a secret: only the person who made it and the recipient of the mail
// know it.
type Invitation struct {
	Email     string
	URL       string
	ExpiresAt time.Time
	Mailed    bool  // it was sent to the person by mail
	MailError error // why it was not, if mail is configured
}

// Invite creates an invitation for an existing account, replaces an older one,
// and mails it if mail is configured. People who forgot their password get a new
// one this way.
func (s *Service) Invite(ctx context.Context, email string) (Invitation, error) {
	email, err := cleanEmail(email)
	if err != nil {
		return Invitation{}, err
	}
	secret, now := id.Secret(), s.Now()
	inv := Invitation{Email: email, URL: s.PublicURL + "/invitation#" + secret, ExpiresAt: api.At(now.Add(invitationLife)).UTC()}
	err = s.DB.Write(ctx, func(tx *db.Tx) error {
		account, err := accountByEmail(ctx, tx, email)
		if errors.Is(err, db.ErrNoRows) {
			return fault.MissingParam("email", "Nobody has an account with this address. Add them to a workspace first.")
		}
		if err != nil {
			return fmt.Errorf("look for the account: %w", err)
		}
		return putInvitation(ctx, tx, account.ID, id.Hash(secret), now, inv.ExpiresAt)
	})
	if err != nil {
		return Invitation{}, err
	}
	if s.Mail != nil {
		inv.MailError = s.Mail.Send(ctx, invitationMail(inv, s.PublicURL))
		inv.Mailed = inv.MailError == nil
	}
	return inv, nil
}

// InviteNew invites an account without a password. It returns nil for an account
// that has one.
func (s *Service) InviteNew(ctx context.Context, email string) (*Invitation, error) {
	clean, err := cleanEmail(email)
	if err != nil {
		return nil, err
	}
	var hash string
	err = s.DB.Read(ctx, func(tx *db.Tx) error {
		_, hash, err = accountForSignIn(ctx, tx, clean)
		return err
	})
	if err != nil || hash != "" {
		return nil, err
	}
	inv, err := s.Invite(ctx, clean)
	return &inv, err
}

func invitationMail(inv Invitation, publicURL string) mail.Message {
	return mail.Message{
		To: inv.Email, Subject: "Your invitation to Conclave",
		Text: "You have an account for video meetings at " + publicURL + ".\n\n" +
			"Open this link to choose your password:\n\n" + inv.URL + "\n\n" +
			"It works once, until " + inv.ExpiresAt.UTC().Format("2 January 2006, 15:04 MST") + ". " +
			"Anybody who has it can sign in as you, so do not pass it on.\n",
	}
}

// InvitationView is what the page of an invitation shows.
type InvitationView struct {
	Object    string   `json:"object" enum:"invitation"`
	Email     string   `json:"email" doc:"Address of the invited person."`
	Name      string   `json:"name" doc:"Name of the invited person; empty for a new account."`
	ExpiresAt api.Time `json:"expires_at"`
}

// LookUpInvitation finds the person that an invitation is for.
func (s *Service) LookUpInvitation(ctx context.Context, secret string) (InvitationView, error) {
	view := InvitationView{Object: "invitation"}
	err := s.DB.Read(ctx, func(tx *db.Tx) error {
		account, expires, err := invitedBy(ctx, tx, id.Hash(secret), s.Now())
		view.Email, view.Name, view.ExpiresAt = account.Email, account.Name, api.At(expires)
		return err
	})
	return view, err
}

// Accept uses an invitation: the account gets the password and the name, its
// sessions end, and the person is signed in.
func (s *Service) Accept(ctx context.Context, secret, name, password string) (Account, string, error) {
	// Check the invitation before making the costly hash.
	view, err := s.LookUpInvitation(ctx, secret)
	if err != nil {
		return Account{}, "", err
	}
	if err := checkPassword("password", password, view.Email); err != nil {
		return Account{}, "", err
	}
	hash, err := s.passwords.hash(ctx, password)
	if err != nil {
		return Account{}, "", err
	}
	var (
		account Account
		token   string
	)
	err = s.DB.Write(ctx, func(tx *db.Tx) error {
		if account, _, err = invitedBy(ctx, tx, id.Hash(secret), s.Now()); err != nil {
			return err
		}
		account.Name = name
		if err := deleteInvitation(ctx, tx, account.ID); err != nil {
			return err
		}
		if err := setNameAndPassword(ctx, tx, account.ID, name, hash); err != nil {
			return err
		}
		if err := deleteSessions(ctx, tx, account.ID, ""); err != nil {
			return err
		}
		token, err = s.newSession(ctx, tx, account.ID)
		return err
	})
	return account, token, err
}

// invitedBy finds the account of a valid invitation.
func invitedBy(ctx context.Context, tx *db.Tx, hash string, now time.Time) (Account, time.Time, error) {
	account, expires, err := accountByInvitation(ctx, tx, hash)
	switch {
	case errors.Is(err, db.ErrNoRows) || err == nil && !now.Before(expires):
		return Account{}, time.Time{}, fault.New(fault.Forbidden, api.CodeInvitationInvalid,
			"This invitation was used, has expired, or was replaced by a newer one. Ask the person who invited you for a new one.")
	case err != nil:
		return Account{}, time.Time{}, fmt.Errorf("look for the invitation: %w", err)
	}
	return account, expires, nil
}
