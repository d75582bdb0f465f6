package identity

import (
	"context"
	"net/http"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/fault"
	"github.com/conclave-rooms/conclave/internal/rest"
)

// caller is the signed-in person behind a request.
type caller struct {
	Account

	token string // of the session; the value of its cookie
}

type callerKey struct{}

// callerFrom returns the signed-in person of a request, or the zero caller.
func callerFrom(ctx context.Context) caller {
	c, _ := ctx.Value(callerKey{}).(caller)
	return c
}

// SessionAuthenticator recognises sessions for the edge.
func (s *Service) SessionAuthenticator(ctx context.Context, token string) (context.Context, string, error) {
	account, err := s.signedIn(ctx, token)
	if err != nil {
		return ctx, "", err
	}
	return context.WithValue(ctx, callerKey{}, caller{Account: account, token: token}), account.ID, nil
}

// SessionMissing is the error for a request that carries no session.
func SessionMissing() *fault.Error { return signInRequired() }

type signInInput struct {
	Body struct {
		Email    string `json:"email" minLength:"1" maxLength:"254" doc:"E-mail address of the account."`
		Password string `json:"password" raw:"true" minLength:"1" maxLength:"200" doc:"Its password."`
	}
}

type invitationInput struct {
	Body struct {
		Secret string `json:"secret" raw:"true" minLength:"1" maxLength:"200" doc:"The fragment of the invitation's link."`
	}
}

// acceptInput sets a password, as passwordInput does. A password has a minimum length and
// no other rule (NIST SP 800-63B). The maximum only limits how much the service has to
// hash.
type acceptInput struct {
	Body struct {
		Secret   string `json:"secret" raw:"true" minLength:"1" maxLength:"200" doc:"The fragment of the invitation's link."`
		Name     string `json:"name" person:"true" minLength:"1" maxLength:"60" doc:"What others call the person in meetings."`
		Password string `json:"password" raw:"true" minLength:"10" maxLength:"200" doc:"The password they choose."`
	}
}

type passwordInput struct {
	Body struct {
		Current string `json:"current_password" raw:"true" minLength:"1" maxLength:"200" doc:"The current password."`
		New     string `json:"new_password" raw:"true" minLength:"10" maxLength:"200" doc:"The new password."`
	}
}

// MountAccount registers the operations on a person's own account
// (docs/reference/sign-in.md).
func (s *Service) MountAccount(d *rest.Group) {
	rest.Handle(d, rest.Op{
		ID: "getSession", Method: http.MethodGet, Path: "/session", Tag: "Session", Public: true, Summary: "See who is signed in",
	}, func(ctx context.Context, _ *struct{}) (Session, error) {
		who := callerFrom(ctx)
		if who.token != "" {
			rest.SetCookie(ctx, s.cookie(who.token)) // the cookie's life starts again, like the session's
		}
		return s.sessionView(ctx, who.ID)
	})
	rest.Handle(d, rest.Op{
		ID: "signIn", Method: http.MethodPost, Path: "/sign-in", Tag: "Session", Public: true, Limit: rest.ClassSignIn, NoTurn: true, Summary: "Sign in with a password",
		Errors: []string{api.CodeSignInFailed},
	}, func(ctx context.Context, in *signInInput) (Session, error) {
		if err := s.countTry(ctx, in.Body.Email); err != nil {
			return Session{}, err
		}
		account, token, err := s.SignIn(ctx, in.Body.Email, in.Body.Password)
		return s.started(ctx, account, token, err)
	})
	rest.Handle(d, rest.Op{
		ID: "signOut", Method: http.MethodPost, Path: "/sign-out", Tag: "Session", Public: true, Summary: "Sign out",
		Description: "Ends the session of this browser. Does nothing when there is none.",
	}, func(ctx context.Context, _ *struct{}) (Session, error) {
		return s.ended(ctx, s.SignOut(ctx, rest.Bearer(ctx)))
	})
	rest.Handle(d, rest.Op{
		ID: "signOutEverywhere", Method: http.MethodPost, Path: "/sign-out-everywhere", Tag: "Session",
		Summary: "Sign out everywhere", Description: "Ends every session of the account, including this one.",
	}, func(ctx context.Context, _ *struct{}) (Session, error) {
		return s.ended(ctx, s.SignOutEverywhere(ctx, callerFrom(ctx).ID))
	})
	rest.Handle(d, rest.Op{
		ID: "changePassword", Method: http.MethodPost, Path: "/password", Tag: "Account", Limit: rest.ClassSignIn, NoTurn: true,
		Summary: "Change one's password", Description: "Ends every other session of the account.",
	}, func(ctx context.Context, in *passwordInput) (Session, error) {
		who := callerFrom(ctx)
		if err := countOwnTry(ctx, who.token); err != nil {
			return Session{}, err
		}
		if err := s.ChangePassword(ctx, who.Account, who.token, in.Body.Current, in.Body.New); err != nil {
			return Session{}, err
		}
		known, err := s.deviceNow(ctx, who.Email)
		if err != nil {
			return Session{}, err
		}
		rest.SetCookie(ctx, known)
		return s.sessionView(ctx, who.ID)
	})
	s.mountInvitations(d)
	s.mountOIDC(d)
}

func (s *Service) mountInvitations(d *rest.Group) {
	rest.Handle(d, rest.Op{
		ID: "lookUpInvitation", Method: http.MethodPost, Path: "/invitations/look-up", Tag: "Invitations", Public: true, NoTurn: true,
		Summary: "See whose an invitation is", Errors: []string{api.CodeInvitationInvalid},
	}, func(ctx context.Context, in *invitationInput) (InvitationView, error) {
		return s.LookUpInvitation(ctx, in.Body.Secret)
	})
	rest.Handle(d, rest.Op{
		ID: "acceptInvitation", Method: http.MethodPost, Path: "/invitations/accept", Tag: "Invitations", Public: true, Limit: rest.ClassSignIn, NoTurn: true,
		Summary:     "Accept an invitation",
		Description: "Gives the account a name and a password, ends the sessions it had, and signs the person in. An invitation works once.",
		Errors:      []string{api.CodeInvitationInvalid},
	}, func(ctx context.Context, in *acceptInput) (Session, error) {
		account, token, err := s.Accept(ctx, in.Body.Secret, in.Body.Name, in.Body.Password)
		return s.started(ctx, account, token, err)
	})
}

// started sets the cookies of a new session and returns its view.
func (s *Service) started(ctx context.Context, account Account, token string, err error) (Session, error) {
	if err != nil {
		return Session{}, err
	}
	view, err := s.sessionView(ctx, account.ID)
	if err != nil {
		return Session{}, err
	}
	known, err := s.deviceNow(ctx, account.Email)
	if err != nil {
		return Session{}, err
	}
	rest.SetCookie(ctx, s.cookie(token))
	rest.SetCookie(ctx, known)
	return view, nil
}

// ended deletes the session's cookie and returns the view for a signed-out browser.
func (s *Service) ended(ctx context.Context, err error) (Session, error) {
	if err != nil {
		return Session{}, err
	}
	gone := s.cookie("") //nolint:gosec // the same attributes as every session cookie
	gone.MaxAge = -1
	rest.SetCookie(ctx, gone)
	return s.sessionView(ctx, "")
}
