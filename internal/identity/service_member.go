package identity

import (
	"context"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/auth"
	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/fault"
	"github.com/conclave-rooms/conclave/internal/id"
)

// WorkspaceHeader names the workspace in which a signed-in member acts.
const WorkspaceHeader = "Conclave-Workspace"

// member returns what an account may do in a workspace now; "" is its personal
// one. A workspace that does not exist and one the account is not a member of
// get the same error.
func (s *Service) member(ctx context.Context, account Account, workspaceID string) (auth.Principal, error) {
	p := auth.Principal{WorkspaceID: workspaceID, AccountID: account.ID, Session: true, Name: account.Name}
	err := s.DB.Read(ctx, func(tx *db.Tx) (err error) {
		if p.WorkspaceID == "" {
			if p.WorkspaceID, err = personalWorkspace(ctx, tx, account.ID); err != nil {
				return err
			}
		}
		if !id.Valid(p.WorkspaceID) {
			return notAMember()
		}
		role, custom, err := roleOf(ctx, tx, p.WorkspaceID, account.ID)
		if err == nil && role == "" {
			err = notAMember()
		}
		manageKeys, manageRooms := rights(role, custom)
		p.ManagesAll, p.Scopes = manageRooms, scopesOf(manageKeys)
		return err
	})
	return p, err
}

func notAMember() error {
	return fault.New(fault.Forbidden, api.CodeNotAMember, "You are not a member of the workspace that "+WorkspaceHeader+" names.")
}

// scopesOf returns the scopes that a role implies. Every member may create and
// manage rooms, and so has every scope for rooms; package room decides which
// rooms those are. Webhooks and events show everything in a workspace, so they
// need the right to manage keys.
func scopesOf(manageKeys bool) []api.Scope {
	var scopes []api.Scope
	for _, scope := range api.Scopes() {
		if scope != api.ScopeWebhooksManage || manageKeys {
			scopes = append(scopes, scope)
		}
	}
	return scopes
}
