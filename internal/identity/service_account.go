package identity

import (
	"context"
	"errors"
	"fmt"

	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/fault"
)

// What other features ask about accounts.

// SignedIn returns the account whose session a request carries; false when
// nobody is signed in.
func SignedIn(ctx context.Context) (Account, bool) {
	c := callerFrom(ctx)
	return c.Account, c.ID != ""
}

// AccountByEmail finds the account of an address.
func (s *Service) AccountByEmail(ctx context.Context, address string) (Account, error) {
	email, err := cleanEmail(address)
	if err != nil {
		return Account{}, err
	}
	var account Account
	err = s.DB.Read(ctx, func(tx *db.Tx) error {
		account, err = accountByEmail(ctx, tx, email)
		return err
	})
	switch {
	case errors.Is(err, db.ErrNoRows):
		return Account{}, fault.MissingParam("account", "Nobody has an account with this address; `conclave members list` lists the members of a workspace.")
	case err != nil:
		return Account{}, fmt.Errorf("look for the account: %w", err)
	}
	return account, nil
}

// AccountByID reads an account.
func AccountByID(ctx context.Context, tx *db.Tx, accountID string) (Account, error) {
	p, err := personByID(ctx, tx, accountID)
	return Account{ID: p.ID, Email: p.Email, Name: p.Name}, err
}

// WorkspacesOf lists the workspaces of which an account is a member, the
// personal one first.
func WorkspacesOf(ctx context.Context, tx *db.Tx, accountID string) ([]Membership, error) {
	return memberships(ctx, tx, accountID)
}
