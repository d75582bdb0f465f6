package identity

import (
	"context"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/auth"
	"github.com/conclave-rooms/conclave/internal/rest"
)

// OnAPI lets signed-in members use the API with their session's cookie and the
// scopes of their role.
func (s *Service) OnAPI() rest.Sessions {
	return rest.Sessions{
		Cookie: SessionCookie(s.PublicURL), Header: WorkspaceHeader,
		HeaderDoc: "Id of the workspace in which a signed-in member acts; without it, their personal workspace. Requests with an API key ignore it: a key belongs to one workspace.",
		Recognise: s.recogniseMember, Missing: signInRequired(), Errors: []string{api.CodeNotAMember},
	}
}

// recogniseMember recognises the session of a member for the edge. It returns
// the account's id, by which the edge counts requests.
func (s *Service) recogniseMember(ctx context.Context, token, workspaceID string) (context.Context, string, error) {
	account, err := s.signedIn(ctx, token)
	if err != nil {
		return ctx, "", err
	}
	p, err := s.member(ctx, account, workspaceID)
	return auth.WithPrincipal(ctx, p), account.ID, err
}
