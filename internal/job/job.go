package job

import (
	"context"
	"time"

	"github.com/conclave-rooms/conclave/internal/db"
)

// Job is a job to promise, or one that this process holds.
type Job struct {
	ID   string // as the code that added it named it
	Lane string

	// Fetched is what Config.Fetch has read for a job that this process took; nil if
	// it found nothing.
	Fetched any

	lease string // fencing token of one that is held: a new one each time the job is taken
}

// Handler does a job. Its context ends when this process no longer holds the
// job: it was cancelled, the lease was lost, or the service stops. The handler
// must then return soon, with GiveBack.
type Handler func(ctx context.Context, j Job) Result

// Result is the outcome of a run.
type Result struct {
	fate   fate
	at     time.Time
	record Record
	note   any
}

// Record writes a feature's own data about a job, in the transaction that ends
// or postpones the job: both are written or neither, and nothing is written if
// another process has taken the job. It may be nil.
type Record func(ctx context.Context, tx *db.Tx) error

type fate int

const (
	done fate = iota + 1
	again
	back
)

// Done ends a job.
func Done(record Record) Result { return Result{fate: done, record: record} }

// Noted ends a job and hands a note to Config.WriteNotes, which writes those of
// many jobs with a few statements, before the Records of the same transaction. Like
// a Record, a note is written in the transaction that ends the job, and only if no
// other process has taken the job.
func Noted(note any) Result { return Result{fate: done, note: note} }

// Again schedules another run.
func Again(at time.Time, record Record) Result { return Result{fate: again, at: at, record: record} }

// GiveBack returns a job, as if it had not been begun, so that any process can
// take it.
func GiveBack() Result { return Result{fate: back} }
