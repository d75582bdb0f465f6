// Package auth is who asks: the principal behind a request, put into the
// request's context by the edge and read by the features.
package auth

import (
	"context"
	"slices"

	"github.com/conclave-rooms/conclave/api"
)

// Principal is an API key that was recognised: a workspace to act in, the
// account that made the key, and what the key may do.
type Principal struct {
	KeyID       string
	WorkspaceID string
	AccountID   string // the key's creator: rights on rooms are theirs
	ManagesAll  bool   // the creator manages every room of the workspace (owner, admin or a role with manage_rooms)
	Environment string // live or test
	Scopes      []api.Scope
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
