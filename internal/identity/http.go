package identity

import (
	"context"
	"net/http"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/auth"
	"github.com/conclave-rooms/conclave/internal/rest"
)

// Mount registers the operations of the API.
func (s *Service) Mount(d *rest.Group) {
	rest.Handle(d, rest.Op{
		ID: "getMe", Method: http.MethodGet, Path: "/me", Tag: "Account", KeysOnly: true,
		Summary:     "Describe this key",
		Description: "Describes the key of this request: its workspace, scopes and environment. A cheap way to find out whether a key works.",
	}, func(ctx context.Context, _ *struct{}) (api.APIKey, error) {
		p := auth.From(ctx)
		return s.Key(ctx, p.WorkspaceID, p.KeyID)
	})
}

// Authenticator recognises API keys for the edge.
func (s *Service) Authenticator(ctx context.Context, bearer string) (context.Context, string, error) {
	p, _, err := s.Authenticate(ctx, bearer)
	if err != nil {
		return ctx, "", err
	}
	return auth.WithPrincipal(ctx, p), p.KeyID, nil
}
