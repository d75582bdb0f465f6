package calendar

import (
	"context"
	"errors"
	"fmt"
	"time"

	"golang.org/x/oauth2"

	"github.com/conclave-rooms/conclave/internal/schedule/calendar/calendartest"
)

// accessTo returns our access to an imitated provider at an address.
func accessTo(tokens *calendartest.Tokens, address string) *Access {
	o := GoogleOAuth(testOutbound(), testNow, App{ID: calendartest.ClientID, Secret: calendartest.ClientSecret, Redirect: "https://meet.example.com/back"})
	o.Config.Endpoint = oauth2.Endpoint{TokenURL: address + "/token", AuthStyle: oauth2.AuthStyleInParams}
	token := Token{Access: tokens.Access(), Refresh: tokens.Refresh(), Expires: testNow().Add(time.Hour)}
	return NewAccess(o, token, func(context.Context, Token) error { return nil })
}

// kindOf describes an error in one word.
func kindOf(err error) string {
	if _, ok := errors.AsType[*BusyError](err); ok {
		return "busy"
	}
	if _, ok := errors.AsType[*AnswerError](err); ok {
		return "answer"
	}
	for word, is := range map[string]error{"revoked": ErrRevoked, "foreign": ErrForeign, "no calendar": ErrNoCalendar, "client": ErrClient} {
		if errors.Is(err, is) {
			return word
		}
	}
	return fmt.Sprint(err)
}
