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
	"github.com/conclave-rooms/conclave/internal/loop"
)

const (
	// sessionLife is how long a session lasts after it was last used.
	sessionLife = 30 * 24 * time.Hour
	// slideEvery is how precisely the last use is known: at most one write an
	// hour.
	slideEvery = time.Hour
)

// Session shows who is signed in, and the workspaces they are a member of.
type Session struct {
	Object     string       `json:"object" enum:"session"`
	Account    *Person      `json:"account" nullable:"true" doc:"Who is signed in; null when nobody is."`
	Workspaces []Membership `json:"workspaces" doc:"Workspaces they are a member of, including the personal one."`
	OIDC       bool         `json:"oidc" doc:"Whether people can sign in through an identity provider, at /account/v1/oidc/start."`
}

// Person is an account as its owner sees it.
type Person struct {
	ID          string `json:"id" format:"uuid"`
	Email       string `json:"email"`
	Name        string `json:"name"`
	HasPassword bool   `json:"has_password" doc:"False for somebody who has only signed in through an identity provider."`
}

// Membership is an account's place in a workspace.
type Membership struct {
	ID           string `json:"id" format:"uuid" doc:"Id of the workspace."`
	Name         string `json:"name"`
	Personal     bool   `json:"personal"`
	Role         string `json:"role" doc:"owner, admin, member, or the name of a role of the workspace."`
	ManagesRooms bool   `json:"manages_rooms" doc:"Whether the role makes them a host of every room of the workspace."`
}

// SignIn checks the password and starts a session. An unknown address, an account
// without a password and a wrong password get the same answer after the same
// time.
func (s *Service) SignIn(ctx context.Context, email, password string) (Account, string, error) {
	failed := fault.New(fault.Unauthenticated, api.CodeSignInFailed, "The e-mail address or the password is not right.")
	clean, err := cleanEmail(email)
	if err != nil {
		clean = "" // fails like every unknown address
	}
	var (
		account Account
		hash    string
	)
	err = s.DB.Read(ctx, func(tx *db.Tx) error {
		account, hash, err = accountForSignIn(ctx, tx, clean)
		return err
	})
	if err != nil {
		return Account{}, "", err
	}
	match, err := s.passwords.matches(ctx, password, hash)
	if err != nil {
		return Account{}, "", err
	}
	if !match {
		return Account{}, "", failed
	}
	var token string
	err = s.DB.Write(ctx, func(tx *db.Tx) error {
		// The password may have been changed since it was read.
		_, current, err := accountForSignIn(ctx, tx, clean)
		if err != nil {
			return err
		}
		if current != hash {
			return failed
		}
		token, err = s.newSession(ctx, tx, account.ID)
		return err
	})
	return account, token, err
}

// markOf returns a mark of the current password of an account, from which nobody can
// learn anything about it. Accounts without a password have the same mark, and so do
// addresses without an account.
func (s *Service) markOf(ctx context.Context, email string) (string, error) {
	clean, err := cleanEmail(email)
	if err != nil {
		clean = "" // nobody has it
	}
	var hash string
	err = s.DB.Read(ctx, func(tx *db.Tx) error {
		_, hash, err = accountForSignIn(ctx, tx, clean)
		return err
	})
	return id.Hash(hash)[:16], err
}

// newSession starts a session and returns the value of its cookie.
func (s *Service) newSession(ctx context.Context, tx *db.Tx, accountID string) (string, error) {
	token, now := id.Secret(), s.Now()
	return token, insertSession(ctx, tx, id.Hash(token), accountID, now, now.Add(sessionLife))
}

// Visitor finds the account of a session by the value of its cookie; false when
// there is no such session or it has expired. Package join calls it inside its
// own transaction. It does not extend the session, because that transaction may
// be read-only.
func (s *Service) Visitor(ctx context.Context, tx *db.Tx, token string) (Account, bool, error) {
	if token == "" {
		return Account{}, false, nil
	}
	found, err := sessionByHash(ctx, tx, id.Hash(token))
	switch {
	case errors.Is(err, db.ErrNoRows):
		return Account{}, false, nil
	case err != nil:
		return Account{}, false, fmt.Errorf("look up a session: %w", err)
	}
	return found.account, s.Now().Before(found.expires), nil
}

// Standing is an account's place in a workspace.
type Standing struct {
	Member       bool
	ManagesRooms bool // host of every room: an owner, an admin, or a role with that right
}

// RoleIn returns an account's standing in a workspace.
func (s *Service) RoleIn(ctx context.Context, tx *db.Tx, workspaceID, accountID string) (Standing, error) {
	role, custom, err := roleOf(ctx, tx, workspaceID, accountID)
	if err != nil {
		return Standing{}, err
	}
	_, manageRooms := rights(role, custom)
	return Standing{Member: role != "", ManagesRooms: manageRooms}, nil
}

// signedIn finds the account of a session and extends the session.
func (s *Service) signedIn(ctx context.Context, token string) (Account, error) {
	var (
		account Account
		there   bool
		seen    time.Time
		hash    = id.Hash(token)
	)
	err := s.DB.Read(ctx, func(tx *db.Tx) (err error) {
		if account, there, err = s.Visitor(ctx, tx, token); err != nil || !there {
			return err
		}
		found, err := sessionByHash(ctx, tx, hash)
		seen = found.seen
		return err
	})
	if err != nil {
		return Account{}, err
	}
	if !there {
		return Account{}, signInRequired()
	}
	if now := s.Now(); now.Sub(seen) >= slideEvery {
		err := s.DB.Write(ctx, func(tx *db.Tx) error { return touchSession(ctx, tx, hash, now, now.Add(sessionLife)) })
		if err != nil {
			// A full disk must not sign anybody out.
			s.Logger.WarnContext(ctx, "could not record the use of a session", "account_id", account.ID, "error", err)
		}
	}
	return account, nil
}

func signInRequired() *fault.Error {
	return fault.New(fault.Unauthenticated, api.CodeSignInRequired, "You are not signed in.")
}

// sessionView describes who is signed in; an empty accountID means nobody is.
func (s *Service) sessionView(ctx context.Context, accountID string) (Session, error) {
	view := Session{Object: "session", Workspaces: []Membership{}, OIDC: s.OIDC != nil}
	if accountID == "" {
		return view, nil
	}
	err := s.DB.Read(ctx, func(tx *db.Tx) error {
		person, err := personByID(ctx, tx, accountID)
		if err != nil {
			return err
		}
		view.Account = &person
		view.Workspaces, err = memberships(ctx, tx, accountID)
		return err
	})
	return view, err
}

// SignOut ends one session. Ending it again is not an error.
func (s *Service) SignOut(ctx context.Context, token string) error {
	return s.DB.Write(ctx, func(tx *db.Tx) error { return deleteSession(ctx, tx, id.Hash(token)) })
}

// SignOutEverywhere ends every session of an account.
func (s *Service) SignOutEverywhere(ctx context.Context, accountID string) error {
	return s.DB.Write(ctx, func(tx *db.Tx) error { return deleteSessions(ctx, tx, accountID, "") })
}

// SignEverybodyOut ends the sessions of all accounts, and returns how many there
// were.
func (s *Service) SignEverybodyOut(ctx context.Context) (ended int64, err error) {
	err = s.DB.Write(ctx, func(tx *db.Tx) error {
		ended, err = deleteAllSessions(ctx, tx)
		return err
	})
	return ended, err
}

// ChangePassword changes an account's password, and ends its open invitation and every
// session except the one that asks.
func (s *Service) ChangePassword(ctx context.Context, account Account, token, current, wanted string) error {
	if err := checkPassword("new_password", wanted, account.Email); err != nil {
		return err
	}
	var hash string
	err := s.DB.Read(ctx, func(tx *db.Tx) (err error) {
		_, hash, err = accountForSignIn(ctx, tx, account.Email)
		return err
	})
	if err != nil {
		return err
	}
	match, err := s.passwords.matches(ctx, current, hash)
	if err != nil {
		return err
	}
	if !match {
		return wrongPassword()
	}
	fresh, err := s.passwords.hash(ctx, wanted)
	if err != nil {
		return err
	}
	return s.DB.Write(ctx, func(tx *db.Tx) error {
		changed, err := replacePassword(ctx, tx, account.ID, hash, fresh)
		if err != nil {
			return err
		}
		if !changed { // somebody else changed it in the meantime
			return wrongPassword()
		}
		// Everybody who has the link of an open invitation can take the account over.
		if err := deleteInvitation(ctx, tx, account.ID); err != nil {
			return err
		}
		return deleteSessions(ctx, tx, account.ID, id.Hash(token))
	})
}

func wrongPassword() error {
	return fault.BadParameter("current_password", "This is not your password.")
}

// Run deletes expired sessions and invitations every hour until ctx ends.
func (s *Service) Run(ctx context.Context) {
	loop.Every(ctx, time.Hour, s.Sweep, func(err error) {
		s.Logger.ErrorContext(ctx, "delete expired sessions", "error", err)
	})
}

// Sweep deletes expired sessions and invitations once.
func (s *Service) Sweep(ctx context.Context) error {
	return s.DB.Write(ctx, func(tx *db.Tx) error { return deleteExpired(ctx, tx, s.Now()) })
}

// signInAs begins a session for the account with an address that the provider
// has verified. An account without a name gets the provider's.
func (s *Service) signInAs(ctx context.Context, email, name string) (token string, err error) {
	err = s.DB.Write(ctx, func(tx *db.Tx) error {
		account, err := accountByEmail(ctx, tx, email)
		if errors.Is(err, db.ErrNoRows) {
			return ErrOIDCUnknown
		}
		if err != nil {
			return fmt.Errorf("look for the account: %w", err)
		}
		if account.Name == "" && name != "" {
			if err := setName(ctx, tx, account.ID, name); err != nil {
				return err
			}
		}
		token, err = s.newSession(ctx, tx, account.ID)
		return err
	})
	return token, err
}
