package job

import (
	"context"
	"time"

	"github.com/conclave-rooms/conclave/internal/db"
)

// Job is a job that this process holds.
type Job struct {
	ID   string // as whoever added it called it
	Lane string

	lease string // fencing token: a new one each time somebody takes the job
}

// Handler does a job. Its context ends when the job is no longer this
// process's: somebody cancelled it, the lease was lost, or the service stops.
// It must then return soon, with GiveBack.
type Handler func(ctx context.Context, j Job) Result

// Result is what becomes of a job.
type Result struct {
	fate   fate
	at     time.Time
	record Record
}

// Record writes what a feature keeps of a job, in the transaction that ends or
// postpones it: either both are there or neither, and nothing is written for a
// job that somebody else has taken. Nil writes nothing.
type Record func(ctx context.Context, tx *db.Tx) error

type fate int

const (
	done fate = iota + 1
	again
	back
)

// Done ends a job.
func Done(record Record) Result { return Result{fate: done, record: record} }

// Again plans another run.
func Again(at time.Time, record Record) Result { return Result{fate: again, at: at, record: record} }

// GiveBack leaves a job to whoever takes it next, as if it had not been begun.
func GiveBack() Result { return Result{fate: back} }
