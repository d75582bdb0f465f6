// Package auth is who asks: the principal behind a request, put into the
// request's context by the edge and read by the features.
package auth

import (
	"context"
	"slices"

	"github.com/conclave-rooms/conclave/api"
)

// Principal is an API key that was recognised, or a member of a workspace who
// is signed in: a workspace to act in, an account, and what may be done.
type Principal struct {
	KeyID       string // empty for a session
	WorkspaceID string
	AccountID   string // the key's creator, or who is signed in: rights on rooms are theirs
	ManagesAll  bool   // the account manages every room of the workspace (owner, admin or a role with manage_rooms)
	Environment string // live or test; empty for a session
	Scopes      []api.Scope

	// Session says that a person acts who is signed in. A key may do what its
	// scopes name everywhere in its workspace; a person, beyond looking, only
	// what their role lets them do to the one object
	// (docs/decisions/0019-sessions-on-the-api.md).
	Session bool
	Name    string // of that person
}

// Directs says whether the principal may change an object that an account made:
// a key may, and of the people who are signed in, who manages it.
func (p Principal) Directs(createdBy string) bool {
	return !p.Session || p.ManagesAll || p.AccountID == createdBy
}

// Has says whether the principal carries a scope.
func (p Principal) Has(s api.Scope) bool { return slices.Contains(p.Scopes, s) }

type principalKey struct{}

// WithPrincipal puts the principal into a context.
func WithPrincipal(ctx context.Context, p Principal) context.Context {
	return context.WithValue(ctx, principalKey{}, p)
}

// From gives the principal of a request. Every handler behind the API's door
// has one; elsewhere it is the zero Principal, which sees nothing, because no
// row belongs to the workspace "".
func From(ctx context.Context) Principal {
	p, _ := ctx.Value(principalKey{}).(Principal)
	return p
}
