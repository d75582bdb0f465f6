package mirror

import (
	"context"
	"log/slog"
	"strings"
	"time"

	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/job"
	"github.com/conclave-rooms/conclave/internal/schedule"
	"github.com/conclave-rooms/conclave/internal/schedule/calendar"
)

// The job of a mirror has the mirror's id. Other jobs have a prefix.
const (
	fillPrefix = "fill/"
	tellPrefix = "tell/"
)

func fillJob(connectionID string) string { return fillPrefix + connectionID }

// Work that could not be begun is repeated soon if the database failed, and later if
// the cause may last, such as credentials that cannot be opened.
const (
	retrySoon  = 5 * time.Second
	retryLater = time.Minute
)

// Do runs a job. It is the queue's handler.
func (s *Service) Do(ctx context.Context, j job.Job) job.Result {
	if connectionID, ok := strings.CutPrefix(j.ID, fillPrefix); ok {
		return s.fill(ctx, j, connectionID)
	}
	if connectionID, ok := strings.CutPrefix(j.ID, tellPrefix); ok {
		return s.tell(ctx, j, connectionID)
	}
	return s.mirror(ctx, j)
}

// task is a mirror with what decides what is done to its entry.
type task struct {
	mirror

	connection Connection
	meeting    schedule.Meeting
	action     action
}

// mirror brings one meeting in one calendar up to date.
func (s *Service) mirror(ctx context.Context, j job.Job) job.Result {
	var (
		t     task
		found bool
	)
	err := s.DB.Read(ctx, func(tx *db.Tx) (err error) {
		t, found, err = s.task(ctx, tx, j.ID)
		return err
	})
	now := s.Now()
	switch {
	case err != nil:
		return s.later(ctx, j, retrySoon, err)
	case !found || !t.connection.works():
		return job.Done(nil) // connecting again queues it again
	case t.connection.PausedUntil.After(now):
		return job.Again(t.connection.PausedUntil, nil)
	}
	ref, next, err := s.act(ctx, &t)
	if ctx.Err() != nil || s.Now().Sub(now) >= slowWrite {
		s.checkHeld(context.WithoutCancel(ctx), j, t)
	}
	if ctx.Err() != nil {
		return job.GiveBack()
	}
	if err != nil {
		return s.failed(ctx, t, err)
	}
	return s.succeeded(t, ref, next)
}

// slowWrite is how long a write may take before the process checks whether it still
// holds the job. It is less than a lease, which is six seconds.
const slowWrite = 3 * time.Second

// checkHeld queues another write of an entry if another process took the job during the
// write. This process was then so slow that its older write may have arrived after the
// other's.
func (s *Service) checkHeld(ctx context.Context, j job.Job, t task) {
	ctx, cancel := context.WithTimeout(ctx, retrySoon)
	defer cancel()
	err := s.DB.Write(ctx, func(tx *db.Tx) error {
		held, err := s.Jobs.Holds(ctx, tx, j)
		if err != nil || held {
			return err
		}
		mirrorID, err := overtaken(ctx, tx, t.mirror)
		if err != nil || mirrorID == "" {
			return err
		}
		return s.Jobs.Ensure(ctx, tx, mirrorID, j.Lane, s.Now())
	})
	if err != nil {
		s.Logger.ErrorContext(ctx, "could not check whether a calendar was written twice", "job", j.ID, "error", err)
	}
}

func (s *Service) task(ctx context.Context, tx *db.Tx, mirrorID string) (t task, found bool, err error) {
	if t.mirror, found, err = findMirror(ctx, tx, mirrorID); err != nil || !found {
		return t, false, err
	}
	if t.connection, found, err = findConnection(ctx, tx, t.ConnectionID); err != nil || !found {
		return t, false, err
	}
	var there, ahead, belongs bool
	if t.meeting, there, err = s.Schedule.Any(ctx, tx, t.MeetingID); err != nil {
		return t, false, err
	}
	if there {
		if ahead, err = s.Schedule.Ahead(t.meeting, s.Now()); err != nil {
			return t, false, err
		}
		standing, err := s.Identity.RoleIn(ctx, tx, t.WorkspaceID, t.connection.AccountID)
		if err != nil {
			return t, false, err
		}
		belongs = standing.Member && t.connection.Status != Leaving
	}
	t.action = decide(t.meeting, there, belongs, ahead, s.Now())
	return t, true, nil
}

// act carries out the task's action. next is when the entry has to be written again
// although nothing changed; zero means never.
func (s *Service) act(ctx context.Context, t *task) (ref calendar.Ref, next time.Time, err error) {
	if t.action == keep {
		return ref, next, nil
	}
	to, err := s.open(&t.connection)
	if err != nil {
		return ref, next, err
	}
	if t.action == remove {
		return ref, next, to.Delete(ctx, t.MeetingID)
	}
	e := EntryOf(t.meeting, s.PublicURL)
	if t.action == end {
		now := s.Now()
		e.Until = &now
	}
	if ref, err = to.Write(ctx, e); err != nil {
		return ref, next, err
	}
	return ref, s.topUp(t.connection.Provider, e), nil
}

// succeeded records the state of the calendar after an action.
func (s *Service) succeeded(t task, ref calendar.Ref, next time.Time) job.Result {
	record := func(ctx context.Context, tx *db.Tx) error {
		if !t.connection.FailingSince.IsZero() {
			if err := setWell(ctx, tx, t.ConnectionID); err != nil {
				return err
			}
		}
		if t.action == write {
			current, err := setDone(ctx, tx, t.mirror, t.meeting.Sequence, ref)
			return s.requeueIfBehind(ctx, tx, t, current, err)
		}
		current, err := drop(ctx, tx, t.mirror)
		return s.requeueIfBehind(ctx, tx, t, current, err)
	}
	if t.action == write && !next.IsZero() {
		return job.Again(next, record)
	}
	return job.Done(record)
}

// requeueIfBehind queues the job of a mirror again if the meeting changed since it was
// read.
func (s *Service) requeueIfBehind(ctx context.Context, tx *db.Tx, t task, current bool, err error) error {
	if err != nil || current {
		return err
	}
	return s.Jobs.Ensure(ctx, tx, t.ID, t.ConnectionID, s.Now())
}

// failed decides what follows a failed request.
func (s *Service) failed(ctx context.Context, t task, err error) job.Result {
	v, now := verdictOn(err).concerns(t.FailingSince, t.connection.FailingSince), s.Now()
	switch v.scope {
	case wholeAccess:
		return job.Done(func(ctx context.Context, tx *db.Tx) error { return s.lost(ctx, tx, t, Revoked, v.word) })
	case wholeServer:
		return s.failedServer(ctx, t, v, err)
	case oneEntry:
		if t.FailingSince.IsZero() || now.Sub(t.FailingSince) < givenUpAfter {
			until := now.Add(pause(t.Failures+1, v.after))
			s.logger(t).InfoContext(ctx, "a meeting could not be written to a calendar; trying again", "until", until, "error", err)
			return job.Again(until, func(ctx context.Context, tx *db.Tx) error { return setMirrorFailing(ctx, tx, t.ID, v.word, now) })
		}
	case oneForGood:
	}
	return s.giveUp(ctx, t, v, err)
}

func (s *Service) logger(t task) *slog.Logger {
	return s.Logger.With("connection", t.ConnectionID, "provider", t.connection.Provider, "meeting_id", t.MeetingID)
}

// failedServer pauses a calendar whose server fails, and gives it up after seven days. If
// the server then answers another request, and only this meeting fails, it gives up this
// meeting alone.
func (s *Service) failedServer(ctx context.Context, t task, v verdict, err error) job.Result {
	now := s.Now()
	if since := t.connection.FailingSince; !since.IsZero() && now.Sub(since) >= givenUpAfter {
		works := s.worksOtherwise(ctx, &t.connection)
		switch {
		case ctx.Err() != nil:
			return job.GiveBack()
		case works:
			return s.giveUp(ctx, t, v, err)
		}
		return job.Done(func(ctx context.Context, tx *db.Tx) error { return s.lost(ctx, tx, t, Unreachable, v.word) })
	}
	until := now.Add(pause(t.connection.Failures+1, v.after))
	s.logger(t).InfoContext(ctx, "a calendar could not be written to; trying again", "until", until, "error", err)
	return job.Again(until, func(ctx context.Context, tx *db.Tx) error {
		if err := setMirrorFailing(ctx, tx, t.ID, "", now); err != nil {
			return err
		}
		paused, err := setFailing(ctx, tx, t.connection, v.word, now, until)
		if err != nil || paused {
			return err
		}
		return s.requeueIfChanged(ctx, tx, t.ID, t.connection)
	})
}

// worksOtherwise reports whether a calendar in which something fails has a single meeting
// that fails, and answers a request that is about no meeting.
func (s *Service) worksOtherwise(ctx context.Context, c *Connection) bool {
	alone := false
	err := s.DB.Read(ctx, func(tx *db.Tx) (err error) {
		alone, err = isAlone(ctx, tx, c.ID)
		return err
	})
	if err != nil || !alone {
		return false
	}
	to, err := s.open(c)
	return err == nil && to.Check(ctx) == nil
}

// giveUp leaves out an entry that the calendar does not take, until its meeting changes.
func (s *Service) giveUp(ctx context.Context, t task, v verdict, err error) job.Result {
	s.logger(t).WarnContext(ctx, "a meeting cannot be written to a calendar; giving up until it changes", "error", err)
	return job.Done(func(ctx context.Context, tx *db.Tx) error {
		if v.scope != oneEntry { // the calendar has answered
			if err := setWell(ctx, tx, t.ConnectionID); err != nil {
				return err
			}
		}
		if t.action != write { // nothing more will change
			current, err := drop(ctx, tx, t.mirror)
			return s.requeueIfBehind(ctx, tx, t, current, err)
		}
		current, err := setGivenUp(ctx, tx, t.mirror, t.meeting.Sequence, v.word)
		return s.requeueIfBehind(ctx, tx, t, current, err)
	})
}

// lost marks a connection that no longer works, and queues a mail to its owner. It
// deletes a connection that was leaving. A calendar that was connected again during the
// request stays connected, and the job runs again with its new credentials.
func (s *Service) lost(ctx context.Context, tx *db.Tx, t task, status Status, reason string) error {
	c := t.connection
	if c.Status == Leaving {
		return s.gone(ctx, tx, t.ID, c)
	}
	now := s.Now()
	first, err := setStatus(ctx, tx, c, Connected, status, reason, now)
	if err != nil {
		return err
	}
	if !first {
		return s.requeueIfChanged(ctx, tx, t.ID, c)
	}
	tx.AfterCommit(func() {
		s.Logger.WarnContext(ctx, "a connected calendar can no longer be written to; its owner has to connect it again",
			"connection", c.ID, "provider", c.Provider, "account_id", c.AccountID, "status", status, "reason", reason)
	})
	if s.Mail == nil {
		return nil
	}
	return s.Jobs.Ensure(ctx, tx, tellPrefix+c.ID, tellLane, now)
}

// requeueIfChanged queues a job again if its connection has changed since the job
// began, because the result of the job says nothing about the changed connection.
func (s *Service) requeueIfChanged(ctx context.Context, tx *db.Tx, jobID string, was Connection) error {
	c, found, err := findConnection(ctx, tx, was.ID)
	if err != nil || !found || !c.works() || c.Status == was.Status && c.credentials == was.credentials {
		return err
	}
	return s.Jobs.Ensure(ctx, tx, jobID, c.ID, c.notBefore(s.Now()))
}

// later repeats a job that was not begun. When the service is stopping, the job is given
// back.
func (s *Service) later(ctx context.Context, j job.Job, wait time.Duration, err error) job.Result {
	if ctx.Err() != nil {
		return job.GiveBack()
	}
	s.Logger.ErrorContext(ctx, "a calendar job could not be done; trying again", "job", j.ID, "after", wait, "error", err)
	return job.Again(s.Now().Add(wait), nil)
}
