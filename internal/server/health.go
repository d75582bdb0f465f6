package server

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/id"
	"github.com/conclave-rooms/conclave/internal/node"
)

// health is the state of the service and of its parts: "ok", or what is wrong.
type health struct {
	Status  string            `json:"status"`
	Parts   map[string]string `json:"parts,omitempty"`
	Message string            `json:"message,omitempty"` // sentences about what is wrong
}

// alive answers /healthz: the process runs and serves.
func (s *Server) alive(w http.ResponseWriter, _ *http.Request) {
	writeHealth(w, http.StatusOK, health{Status: "ok"})
}

// readyTimeout bounds the checks of /readyz; a media server that does not answer uses
// all of it. othersTimeout bounds the question about the other nodes, which comes after
// them. readyFor is how long the result is reused, because anybody may ask as often as
// they like.
const (
	readyTimeout  = 2 * time.Second
	othersTimeout = time.Second / 2
	readyFor      = time.Second
)

// A caller does not wait for checks that are slow, as long as the last result is recent:
// so a balancer that gets no answer within a second (deploy/compose/haproxy.cfg) knows
// that the whole node stands still, and need not wait as long as the slowest check.
const (
	answersWithin = 700 * time.Millisecond
	recent        = readyFor + readyTimeout + othersTimeout
)

// checked is the last result of the checks.
type checked struct {
	mu      sync.Mutex
	at      time.Time
	last    health
	running chan struct{} // closed when the checks that run are over; nil when none run

	space time.Time // when there was space in the database; only the checks use it
}

// The states of /readyz that check finds.
const (
	isOK          = "ok"
	isUnavailable = "unavailable"
	// isDegraded: people cannot join, and no other node could take them either. The
	// node stays in service for everything else.
	isDegraded = "degraded"
)

// ready answers /readyz: the database, the media server and the background work
// answer, and the service is not stopping and takes people. Details of a failure go
// to the log and not to the caller.
func (s *Server) ready(w http.ResponseWriter, r *http.Request) {
	h := s.check(r.Context())
	status := http.StatusOK
	switch {
	case s.stopping.Load():
		h.Status, h.Message = "stopping", "The service is stopping."
	case h.Status == isUnavailable:
	case s.drainReason() == node.ByClock:
		h.Status, h.Message = "draining", "This node takes no new people, because the clock of its machine is wrong. Set it, for instance with NTP."
	case s.drainReason() == node.ByOperator:
		h.Status, h.Message = "draining", "This node takes no new people, because an operator drains it."
	}
	if h.Status != isOK && h.Status != isDegraded {
		status = http.StatusServiceUnavailable
	}
	writeHealth(w, status, h)
}

// check returns the result of the checks. It starts them, unless they run or somebody has
// just done so.
func (s *Server) check(ctx context.Context) health {
	s.checked.mu.Lock()
	last, age := s.checked.last, time.Since(s.checked.at)
	if last.Status != "" && age < readyFor {
		s.checked.mu.Unlock()
		return last
	}
	over := s.checked.running
	if over == nil {
		over = make(chan struct{})
		s.checked.running = over
		// The result is for others too, so it does not end with one caller.
		go s.runChecks(context.WithoutCancel(ctx), over)
	}
	s.checked.mu.Unlock()

	if last.Status != "" && age < recent {
		select {
		case <-over:
		case <-time.After(answersWithin):
			return last
		}
	}
	<-over
	s.checked.mu.Lock()
	defer s.checked.mu.Unlock()
	return s.checked.last
}

// runChecks asks all parts, keeps the result, and closes over.
func (s *Server) runChecks(ctx context.Context, over chan struct{}) {
	h := s.askParts(ctx)
	s.checked.mu.Lock()
	defer s.checked.mu.Unlock()
	s.checked.last, s.checked.at, s.checked.running = h, time.Now(), nil //nolint:forbidigo // a clock that is wrong must not matter here
	close(over)
}

// wait waits for the checks that run.
func (c *checked) wait() {
	c.mu.Lock()
	over := c.running
	c.mu.Unlock()
	if over != nil {
		<-over
	}
}

func (s *Server) askParts(ctx context.Context) health {
	limited, cancel := context.WithTimeout(ctx, readyTimeout)
	defer cancel()
	h := health{Status: isOK, Parts: map[string]string{}}
	var wrong []string
	for _, part := range s.parts() {
		h.Parts[part.name] = isOK
		if err := part.ask(limited); err != nil {
			h.Status, h.Parts[part.name] = isUnavailable, isUnavailable
			wrong = append(wrong, part.wrong)
			s.log.WarnContext(ctx, "not ready", "part", part.name, "error", err)
		}
	}
	if h.Parts["database"] == isOK && s.allMediaGone(ctx, h.Parts["media"] == isOK) && len(wrong) == 1 {
		h.Status = isDegraded
	}
	h.Message = strings.Join(wrong, " ")
	h.Parts["clock"] = s.clockState()
	return h
}

// allMediaGone says whether this node's media server does not answer, and no other
// node of several could take people in its place.
func (s *Server) allMediaGone(ctx context.Context, mediaReady bool) bool {
	ctx, cancel := context.WithTimeout(ctx, othersTimeout)
	defer cancel()
	others, err := s.node.MediaReady(ctx, mediaReady)
	if err != nil {
		s.log.WarnContext(ctx, "the list of nodes does not say whether media servers answer", "error", err)
	}
	return err == nil && !mediaReady && !others.Replace()
}

// part is a part of the service that must work.
type part struct {
	name  string
	ask   func(context.Context) error
	wrong string // a sentence for everybody, without details
}

func (s *Server) parts() []part {
	return []part{
		{"database", s.probe, "The service cannot write to the database or to the data directory: it cannot be reached, or there is no space left."},
		{"media", s.mediaReady, "The media server does not answer."},
		{"jobs", s.jobsReady, "The background work has stopped."},
	}
}

// wrongFrom is the difference from which on a clock counts as wrong.
const wrongFrom = 5 * time.Second

// clockState says whether this machine's clock agrees with the database's. By itself, a
// clock that is wrong does not make a node unavailable: what nodes share goes by the
// database's clock. Only a media server of a cluster cannot work with one, so its node
// leaves new people to another one that can (node.Keeper), from a smaller difference on
// (offTime).
func (s *Server) clockState() string {
	switch skew := s.db.Skew(); {
	case skew > wrongFrom:
		return "ahead"
	case skew < -wrongFrom:
		return "behind"
	}
	return "ok"
}

func (s *Server) mediaReady(ctx context.Context) error {
	return errors.Join(s.claimed.Held(), s.media.Ready(ctx))
}

func (s *Server) jobsReady(ctx context.Context) error {
	return errors.Join(s.Live.Ready(ctx), s.Webhooks.Jobs.Ready(ctx), s.Webhooks.Recoveries.Ready(ctx))
}

// probe writes to the database and to the data directory: on a full disk, reading
// still works.
func (s *Server) probe(ctx context.Context) error {
	err := s.probeCommit(ctx)
	if err == nil {
		err = s.probeSpace(ctx)
	}
	if err != nil {
		return fmt.Errorf("write to the database: %w", err)
	}
	return s.probeDirectory()
}

// probeCommit commits a small change.
func (s *Server) probeCommit(ctx context.Context) error {
	return s.db.WriteLoosely(ctx, func(tx *db.Tx) error {
		_, err := tx.Exec(ctx, `INSERT INTO published (name, value) VALUES ('probe', $1)
			ON CONFLICT (name) DO UPDATE SET value = excluded.value`, time.Now().UTC().Format(time.RFC3339)) //nolint:forbidigo // only says that something was written
		return err //nolint:wrapcheck // probe wraps
	})
}

// probeRow is how much probeSpace writes, in bytes.
const probeRow = 32 << 10

// errUndone rolls back a transaction that was only a test.
var errUndone = errors.New("rolled back")

// spaceEvery is how often probeSpace looks on PostgreSQL while there is space. Each
// look leaves dead rows, which the next vacuum removes, and about 35 KB of log, which
// is archived and replicated. On SQLite nothing stays.
const spaceEvery = 15 * time.Second

// probeSpace writes a large row and takes it back. A full database may still have
// room for a small change in a page that it has, but none for new pages. The row is
// random, because PostgreSQL compresses long values.
func (s *Server) probeSpace(ctx context.Context) error {
	now := time.Now() //nolint:forbidigo // as in runChecks
	if s.db.Engine() == db.PostgreSQL && now.Sub(s.checked.space) < spaceEvery {
		return nil
	}
	row := make([]byte, base64.RawStdEncoding.DecodedLen(probeRow))
	_, _ = rand.Read(row) // it never fails
	err := s.db.WriteLoosely(ctx, func(tx *db.Tx) error {
		// Nodes that probe at the same time do not wait for each other's row.
		_, err := tx.Exec(ctx, `INSERT INTO published (name, value) VALUES ($1, $2)`, "probe/"+id.New(), base64.RawStdEncoding.EncodeToString(row))
		return cmp.Or(err, errUndone)
	})
	if errors.Is(err, errUndone) {
		s.checked.space = now
		return nil
	}
	return err //nolint:wrapcheck // probe wraps
}

// probeBytes is more than the database needs for a change of usual size.
const probeBytes = 256 << 10

func (s *Server) probeDirectory() error {
	file := filepath.Join(s.config.Data.Data, ".probe")
	err := os.WriteFile(file, make([]byte, probeBytes), 0o600)
	if err := errors.Join(err, os.Remove(file)); err != nil {
		return fmt.Errorf("write to the data directory: %w", err)
	}
	return nil
}

func writeHealth(w http.ResponseWriter, status int, h health) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(h) // the client may be gone
}
