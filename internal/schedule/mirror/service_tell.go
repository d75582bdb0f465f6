package mirror

import (
	"context"
	"time"

	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/identity"
	"github.com/conclave-rooms/conclave/internal/job"
	"github.com/conclave-rooms/conclave/internal/mail"
	"github.com/conclave-rooms/conclave/internal/schedule/calendar"
)

const (
	// tellLane is the lane of jobs that send mails, apart from those that write to
	// calendars.
	tellLane = "tell"
	// tellAgain is the wait before a failed mail is tried again, and tellFor how long
	// it is tried. The account page shows the same all the time.
	tellAgain = 10 * time.Minute
	tellFor   = 24 * time.Hour
	// longestName limits the name of a calendar in a mail, in characters, because the
	// name comes from the calendar's server.
	longestName = 200
)

// tell sends a mail to the owner of a calendar that can no longer be written to.
func (s *Service) tell(ctx context.Context, j job.Job, connectionID string) job.Result {
	var (
		c     Connection
		owner identity.Account
		found bool
	)
	err := s.DB.Read(ctx, func(tx *db.Tx) (err error) {
		if c, found, err = findConnection(ctx, tx, connectionID); err != nil || !found {
			return err
		}
		owner, err = identity.AccountByID(ctx, tx, c.AccountID)
		return err
	})
	switch {
	case err != nil:
		return s.later(ctx, j, retrySoon, err)
	case !found || c.works() || s.Mail == nil || s.Now().Sub(c.StatusAt) > tellFor:
		return job.Done(nil)
	}
	if err := s.Mail.Send(ctx, lostMail(c, owner.Email, s.PublicURL)); err != nil {
		return s.later(ctx, j, tellAgain, err)
	}
	return job.Done(nil)
}

func lostMail(c Connection, to, publicURL string) mail.Message {
	reason := "The provider no longer grants access to it."
	if c.Status == Unreachable {
		reason = "Nothing could be written to it for seven days."
	}
	return mail.Message{
		To: to, Subject: "A calendar you connected needs your attention",
		Text: "Your meetings are no longer written to the calendar \"" + calendar.OneLine(c.Name, longestName) + "\" (" + c.Provider.Title() + ").\n" + reason + "\n\n" +
			"To go on, connect it again on your account page:\n\n" + publicURL + "/account\n\n" +
			"Everything that changed meanwhile is written then.\n",
	}
}
