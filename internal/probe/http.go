package probe

import (
	"context"
	"net/http"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/identity"
	"github.com/conclave-rooms/conclave/internal/join"
	"github.com/conclave-rooms/conclave/internal/rest"
)

// Test is what a page needs to try its connection to the media server.
type Test struct {
	Object    string `json:"object" enum:"connection_test"`
	ServerURL string `json:"server_url" doc:"The address of the media server, for LiveKit's client library."`
	Token     string `json:"token" doc:"Opens connections to empty rooms, in which nothing can be published."`
	ExpiresIn int    `json:"expires_in" doc:"Seconds."`
}

type beginInput struct {
	Body struct {
		Code       api.Opt[string] `json:"code,omitzero" minLength:"1" maxLength:"64" doc:"The code of a room that lets the visitor in or lets them wait. Without it, the visitor has to be signed in."`
		JoinSecret api.Opt[string] `json:"join_secret,omitzero" minLength:"1" maxLength:"200" doc:"The fragment of a join link to this room."`
		Strict     api.Opt[int]    `json:"strict,omitzero" minimum:"1" maximum:"1000" doc:"The version of the protocol of strict rooms that the device speaks."`
	}
}

// visit is the room that the request names; nil for none.
func (in *beginInput) visit() *join.Visit {
	if in.Body.Code.Ptr() == nil {
		return nil
	}
	return &join.Visit{Code: in.Body.Code.Value, JoinSecret: in.Body.JoinSecret, Strict: in.Body.Strict}
}

// MountMeet registers what visitors may ask.
func (s *Service) MountMeet(d *rest.Group) {
	rest.Handle(d, rest.Op{
		ID: "testConnection", Method: http.MethodPost, Path: "/connection-tests", Tag: "Joining", Public: true, NoTurn: true, Secret: true,
		Limit: rest.ClassConnectionTests, Status: http.StatusCreated, Summary: "Begin a connection test",
		Description: "For visitors whom a room lets in, or lets wait, and for people who are signed in. The token opens connections of at most 20 seconds for a minute, " +
			"each to a media room of its own, where nothing can be published.",
		Errors: []string{api.CodeNotFound, api.CodeLinkExpired, api.CodeSignInRequired, api.CodeRemoved, api.CodeRoomLocked, api.CodeEncryptionStrict},
	}, func(ctx context.Context, in *beginInput) (Test, error) {
		return s.Begin(ctx, in.visit(), join.Proofs{
			Ticket: rest.Bearer(ctx), Session: rest.Cookie(ctx, identity.SessionCookie(s.PublicURL)), Network: rest.Site(ctx),
		})
	})
}
