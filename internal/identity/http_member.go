package identity

import (
	"context"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/auth"
	"github.com/conclave-rooms/conclave/internal/rest"
)

// OnAPI is how members who are signed in use the API: with the session's
// cookie, and the scopes of their role.
func (s *Service) OnAPI() rest.Sessions {
	return rest.Sessions{
		Cookie: SessionCookie(s.PublicURL), Header: WorkspaceHeader,
		HeaderDoc: "Id of the workspace in which a signed-in member acts; without it, their personal workspace. An API key has its own workspace, and ignores this.",
		Recognise: s.recogniseMember, Missing: signInRequired(), Errors: []string{api.CodeNotAMember},
	}
}

// recogniseMember recognises the session of a member for the edge, which counts
// requests by account.
func (s *Service) recogniseMember(ctx context.Context, token, workspaceID string) (context.Context, string, error) {
	account, err := s.signedIn(ctx, token)
	if err != nil {
		return ctx, "", err
	}
	p, err := s.member(ctx, account, workspaceID)
	return auth.WithPrincipal(ctx, p), account.ID, err
}
