package join

import (
	"context"
	"net/http"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/auth"
	"github.com/conclave-rooms/conclave/internal/identity"
	"github.com/conclave-rooms/conclave/internal/rest"
)

type tokenInput struct {
	RoomID string `path:"room_id" doc:"Id of the room." format:"uuid"`
	Body   api.TokenCreate
}

type linkInput struct {
	RoomID string `path:"room_id" doc:"Id of the room." format:"uuid"`
	Body   api.JoinLinkCreate
}

// Mount registers the operations of the API.
func (s *Service) Mount(d *rest.Group) {
	rest.Handle(d, rest.Op{
		ID: "createToken", Method: http.MethodPost, Path: "/rooms/{room_id}/tokens", Tag: "Joining", Scope: api.ScopeTokensCreate,
		Status: http.StatusCreated, Limit: rest.ClassTokens, Secret: true, Object: api.RoomToken{},
		Summary: "Create a media token",
		Description: "For a custom interface built on LiveKit's client library. Valid ten minutes to connect; the whole answer is a secret of this one person. " +
			"Rooms with strict encryption have no tokens, because no passphrase exists on the service.",
		Errors: []string{api.CodeEncryptionStrict, api.CodeRoomNotManaged},
	}, func(ctx context.Context, in *tokenInput) (api.RoomToken, error) {
		return s.CreateToken(ctx, auth.From(ctx), in.RoomID, in.Body)
	}, rest.Current(s.blankToken))
	rest.Handle(d, rest.Op{
		ID: "createJoinLink", Method: http.MethodPost, Path: "/rooms/{room_id}/join-links", Tag: "Joining", Scope: api.ScopeTokensCreate,
		Status: http.StatusCreated, Limit: rest.ClassTokens, Object: api.JoinLink{},
		Summary:     "Create a join link",
		Description: "A person's own way into the service's meeting interface. Goes past knock, members and before_host; not past a lock.",
		Errors:      []string{api.CodeRoomNotManaged},
	}, func(ctx context.Context, in *linkInput) (api.JoinLink, error) {
		return s.CreateLink(ctx, auth.From(ctx), in.RoomID, in.Body)
	}, rest.Current(s.blankLink), rest.Rules(func(_ context.Context, in *linkInput, wrong func(string) bool) error {
		if wrong("redirect_url") {
			return nil
		}
		return checkRedirect(s.PublicURL, in.Body.RedirectURL.Ptr())
	}))
}

// blankToken and blankLink are what is known of a token and of a link before they
// are made. Read-only fields in a request may only have these values.
func (s *Service) blankToken(context.Context, *tokenInput) (any, error) {
	return api.RoomToken{Object: "room_token", ServerURL: s.mediaURL(), ExpiresIn: int(TokenLife.Seconds())}, nil
}

func (s *Service) blankLink(_ context.Context, in *linkInput) (any, error) {
	return api.JoinLink{Object: "join_link", RoomID: in.RoomID}, nil
}

// doorErrors are the refusals of operations that ask the door.
func doorErrors(others ...string) []string {
	return append(others, api.CodeNotFound, api.CodeRoomLocked, api.CodeEncryptionStrict, api.CodeRemoved, api.CodeAccessMembers,
		api.CodeAdmissionKnock, api.CodeBeforeHost)
}

type visitInput struct{ Body Visit }

type joinInput struct{ Body JoinRequest }

type tradeInput struct {
	Body struct {
		Token string `json:"token" minLength:"1" maxLength:"8192" doc:"The media token the client joined with."`
	}
}

// proofs are a request's proofs of who sends it. Pages of every origin may send
// these requests. The cookie counts only for pages of this service: rest.Cookie
// ignores it in other requests (by Sec-Fetch-Site, or Origin), the browser does not
// send it with requests of other sites' pages (SameSite=Lax), and answers with "any
// origin" do not allow credentials. So no other site can look up a room, or take a
// seat in one, as the person who is signed in.
// All later requests take the seat's ticket, and no cookie.
func (s *Service) proofs(ctx context.Context) Proofs {
	return Proofs{Ticket: rest.Bearer(ctx), Session: rest.Cookie(ctx, identity.SessionCookie(s.PublicURL)), Network: rest.Site(ctx)}
}

// MountMeet registers what visitors and holders of a ticket may ask.
func (s *Service) MountMeet(d *rest.Group) {
	rest.Handle(d, rest.Op{
		ID: "lookUp", Method: http.MethodPost, Path: "/look-up", Tag: "Joining", Public: true, NoTurn: true, Summary: "Look at a room before joining",
		Errors: []string{api.CodeNotFound, api.CodeLinkExpired},
	}, func(ctx context.Context, in *visitInput) (LookUpAnswer, error) {
		return s.LookUp(ctx, in.Body, s.proofs(ctx))
	})
	rest.Handle(d, rest.Op{
		ID: "getCalendarFile", Method: http.MethodPost, Path: "/calendar-file", Tag: "Joining", Public: true, NoTurn: true,
		Summary:     "Get the next meeting as a calendar file",
		Description: "What look-up shows the same visitor as `next`, as an iCalendar file. 404 where that is null. A POST, so that no join secret stands in an address.",
		Errors:      []string{api.CodeNotFound, api.CodeLinkExpired},
	}, func(ctx context.Context, in *visitInput) (CalendarFile, error) {
		return s.CalendarFile(ctx, in.Body, s.proofs(ctx))
	})
	rest.Handle(d, rest.Op{
		ID: "join", Method: http.MethodPost, Path: "/join", Tag: "Joining", Public: true, Secret: true, Summary: "Take a seat",
		Errors: doorErrors(api.CodeLinkExpired, api.CodeNotLetIn, api.CodeWaitingFull),
	}, func(ctx context.Context, in *joinInput) (SeatAnswer, error) {
		return s.Join(ctx, in.Body, s.proofs(ctx))
	})
	rest.Handle(d, rest.Op{
		ID: "unlock", Method: http.MethodPost, Path: "/unlock", Tag: "Joining", Public: true, Summary: "Unlock a room before joining",
		Description: "For the room's own hosts, by account or join link. Answers as look-up does, of the unlocked room.",
		Errors:      []string{api.CodeNotFound, api.CodeLinkExpired, api.CodeHostOnly, api.CodeRemoved},
	}, func(ctx context.Context, in *visitInput) (LookUpAnswer, error) {
		return s.Unlock(ctx, in.Body, s.proofs(ctx))
	})
	rest.Handle(d, rest.Op{
		ID: "trade", Method: http.MethodPost, Path: "/tickets", Tag: "Joining", Public: true, Secret: true, Summary: "Get a ticket for a media token",
		Errors: doorErrors(api.CodeTokenInvalid),
	}, func(ctx context.Context, in *tradeInput) (SeatAnswer, error) {
		return s.Trade(ctx, in.Body.Token)
	})
	rest.Handle(d, rest.Op{
		ID: "renewToken", Method: http.MethodPost, Path: "/token", Tag: "Seat", Secret: true, Summary: "Get a new media token",
		Errors: doorErrors(),
	}, func(ctx context.Context, _ *struct{}) (MediaToken, error) {
		return s.Renew(ctx, rest.Bearer(ctx))
	})
}
