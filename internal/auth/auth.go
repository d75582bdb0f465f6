// Package auth holds the principal behind a request. The edge puts it into the
// request's context; the features read it.
package auth

import (
	"context"
	"slices"

	"github.com/conclave-rooms/conclave/api"
)

// Principal is an API key or a signed-in member of a workspace: the workspace
// it acts in, an account, and what it may do.
type Principal struct {
	KeyID       string // empty for a session
	WorkspaceID string
	AccountID   string // the key's creator, or the member: their rights on rooms apply
	ManagesAll  bool   // the account manages every room of the workspace (owner, admin or a role with manage_rooms)
	Environment string // live or test; empty for a session
	Scopes      []api.Scope

	// Session says that the principal is a signed-in person. A key may do what
	// its scopes allow to every object of its workspace. A person may only read
	// every object; to change one they need a right to it
	// (docs/decisions/0019-sessions-on-the-api.md).
	Session bool
	Name    string // of the signed-in person
}

// MayChange says whether the principal may change an object that an account made.
// A key may; a signed-in person only when they made it or manage everything.
func (p Principal) MayChange(createdBy string) bool {
	return !p.Session || p.ManagesAll || p.AccountID == createdBy
}

// Has says whether the principal carries a scope.
func (p Principal) Has(s api.Scope) bool { return slices.Contains(p.Scopes, s) }

type principalKey struct{}

// WithPrincipal puts the principal into a context.
func WithPrincipal(ctx context.Context, p Principal) context.Context {
	return context.WithValue(ctx, principalKey{}, p)
}

// From returns the principal of a request. Every handler of the API has one.
// Elsewhere it is the zero Principal, which sees nothing, because no row
// belongs to the workspace "".
func From(ctx context.Context) Principal {
	p, _ := ctx.Value(principalKey{}).(Principal)
	return p
}
