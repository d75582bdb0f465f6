package servertest

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/db/dbtest"
	"github.com/conclave-rooms/conclave/internal/id"
)

// statements collects the texts of the statements that stories send.
type statements struct {
	mu    sync.Mutex
	texts map[string]bool
}

func (s *statements) asked(query string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.texts == nil {
		s.texts = map[string]bool{}
	}
	s.texts[query] = true
}

// checkPlans fails for every collected statement that reads rows of other rooms
// and workspaces on the way to its own, on a database that holds many of them.
// SQLite is asked twice, with and without statistics, because it makes them only
// when a table has grown.
func checkPlans(t *testing.T, engine db.Engine, asked *statements) {
	t.Helper()
	d := dbtest.Open(t, dbtest.Config(t, engine))
	now := Epoch
	workspaceID, accountID, endpointID := id.New(), id.New(), id.New()
	seed(t, d, workspaceID, accountID, endpointID, now)
	Fill(t, d, workspaceID, accountID, Size{Rooms: 2000, Running: 200, Events: 5000, Endpoint: endpointID}, now)
	check := func(state string) {
		for text := range asked.texts {
			if allowed(text) {
				continue
			}
			for _, step := range explain(t, d, text) {
				if why := step.costs(); why != "" {
					t.Errorf("%s: a statement %s\n%s\n\tits plan: %s", state, why, text, step)
				}
			}
		}
	}
	if engine == db.PostgreSQL {
		fillRest(t, d)
	}
	check("as it is")
	if engine == db.SQLite {
		exec(t, d, "ANALYZE")
		check("with statistics")
	}
}

func allowed(text string) bool {
	for part := range exempt() {
		if strings.Contains(text, part) {
			return true
		}
	}
	return false
}

// seed writes the rows to which those of Fill belong.
func seed(t *testing.T, d *db.DB, workspaceID, accountID, endpointID string, now time.Time) {
	t.Helper()
	exec(t, d, `INSERT INTO account (id, email, name, created_at) VALUES ($1, 'owner@acme.example', 'Owner', $2)`, accountID, now.UnixMilli())
	exec(t, d, `INSERT INTO workspace (id, name, created_at) VALUES ($1, 'acme', $2)`, workspaceID, now.UnixMilli())
	exec(t, d, `INSERT INTO webhook_endpoint (id, workspace_id, url, events, enabled, secret, created_at) VALUES ($1, $2, '', '*', FALSE, '', $3)`,
		endpointID, workspaceID, now.UnixMilli())
}

func exec(t *testing.T, d *db.DB, statement string, args ...any) {
	t.Helper()
	err := d.WriteLoosely(t.Context(), func(tx *db.Tx) error {
		_, err := tx.Exec(t.Context(), statement, args...)
		return err
	})
	if err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
}

// step is how a plan reads one table.
type step struct {
	table  string
	index  string   // empty: the whole table is read
	found  []string // columns whose values the step looks up in the index
	end    bool     // only the first or the last entry of the index is read
	detail string   // as the database says it
}

func (s step) String() string { return s.detail }

// explain returns the steps of a statement that read tables.
func explain(t *testing.T, d *db.DB, text string) []step {
	t.Helper()
	if !slices.Contains([]string{"SELECT", "INSERT", "UPDATE", "DELETE", "WITH"}, strings.ToUpper(strings.Fields(text)[0])) {
		return nil
	}
	if d.Engine() == db.PostgreSQL {
		return explainPostgres(t, d, text)
	}
	var steps []step
	err := d.Read(t.Context(), func(tx *db.Tx) error {
		lines, err := db.Query(t.Context(), tx, func(s db.Scanner) (detail string, err error) {
			var ignored int
			return detail, s.Scan(&ignored, &ignored, &ignored, &detail)
		}, "EXPLAIN QUERY PLAN "+text, make([]any, parameters(text))...)
		for _, line := range lines {
			if s, reads := sqliteStep(line); reads && !made(text, s.table) {
				steps = append(steps, s)
			}
		}
		return err
	})
	if err != nil {
		t.Fatalf("explain on SQLite: %v\n%s", err, text)
	}
	return steps
}

// made says whether a name stands for rows that the statement computes, in a recursion
// or in brackets. The tables from which it makes them have steps of their own in the
// plan.
func made(text, name string) bool {
	return strings.Contains(text, "RECURSIVE "+name+" ") || strings.Contains(strings.Join(strings.Fields(text), " ")+" ", ") AS "+name+" ")
}

var parameter = regexp.MustCompile(`\$(\d+)`)

// parameters counts the parameters of a statement.
func parameters(text string) int {
	most := 0
	for _, m := range parameter.FindAllStringSubmatch(text, -1) {
		n, _ := strconv.Atoi(m[1])
		most = max(most, n)
	}
	return most
}

var (
	sqliteReads = regexp.MustCompile(`^(SCAN|SEARCH) (\S+)(?: EXISTS)?(?: USING (?:AUTOMATIC |COVERING |PARTIAL )*(INDEX \S+|INTEGER PRIMARY KEY|PRIMARY KEY))?(?: \((.*)\))?`)
	column      = regexp.MustCompile(`([a-z_]+)(?:, [a-z_]+\))?\s*(?:=|<|>|IS\b)`)
)

// sqliteStep reads a line such as "SEARCH seat USING INDEX seat_room (room_id=? AND status=?)".
func sqliteStep(line string) (step, bool) {
	m := sqliteReads.FindStringSubmatch(line)
	if len(m) == 0 || strings.Contains(line, "CONSTANT ROW") || strings.HasSuffix(line, "VALUES CLAUSE") {
		return step{}, false
	}
	s := step{table: m[2], index: strings.TrimPrefix(m[3], "INDEX "), found: columnsIn(m[4]), detail: line}
	s.end = m[1] == "SEARCH" && s.index != "" && m[4] == "" // for MIN and MAX
	return s, true
}

func columnsIn(condition string) []string {
	var names []string
	for _, m := range column.FindAllStringSubmatch(condition, -1) {
		names = append(names, m[1])
	}
	return names
}

// explainPostgres asks for the plan that serves all parameters alike, and makes
// reading whole tables so expensive that it is chosen only when nothing else is
// possible: tables are small here.
func explainPostgres(t *testing.T, d *db.DB, text string) []step {
	t.Helper()
	values := ""
	if n := parameters(text); n > 0 {
		values = "(" + strings.TrimSuffix(strings.Repeat("NULL, ", n), ", ") + ")"
	}
	name := "asked_" + id.Random(10, id.Lower)
	var raw string
	err := d.WriteLoosely(t.Context(), func(tx *db.Tx) error {
		for _, s := range []string{
			"SET LOCAL enable_seqscan = off", "SET LOCAL enable_hashjoin = off", "SET LOCAL enable_mergejoin = off",
			"SET LOCAL plan_cache_mode = force_generic_plan", "PREPARE " + name + " AS " + text,
		} {
			if _, err := tx.Exec(t.Context(), s); err != nil {
				return err
			}
		}
		return tx.QueryRow(t.Context(), "EXPLAIN (FORMAT JSON) EXECUTE "+name+values).Scan(&raw)
	})
	if err != nil {
		t.Fatalf("explain on PostgreSQL: %v\n%s", err, text)
	}
	var plans []struct{ Plan postgresPlan }
	if err := json.Unmarshal([]byte(raw), &plans); err != nil {
		t.Fatalf("read a plan of PostgreSQL: %v", err)
	}
	var steps []step
	for _, p := range plans {
		steps = p.Plan.steps(steps, "")
	}
	return steps
}

type postgresPlan struct {
	Type   string `json:"Node Type"`
	Table  string `json:"Relation Name"`
	Index  string `json:"Index Name"`
	Cond   string `json:"Index Cond"`
	Filter string
	Plans  []postgresPlan
}

func (p postgresPlan) steps(steps []step, table string) []step {
	if p.Table != "" {
		table = p.Table
	}
	switch p.Type {
	case "Seq Scan":
		steps = append(steps, step{table: table, detail: "Seq Scan on " + table + " " + p.Filter})
	case "Index Scan", "Index Only Scan", "Bitmap Index Scan":
		steps = append(steps, step{table: table, index: p.Index, found: columnsIn(p.Cond), detail: fmt.Sprintf("%s of %s on %s %s", p.Type, p.Index, table, p.Cond)})
	}
	for _, below := range p.Plans {
		steps = below.steps(steps, table)
	}
	return steps
}

// costs says why a step costs more when other people have more; empty when it
// does not.
func (s step) costs() string {
	switch {
	case s.end:
		return ""
	case s.index == "":
		return "reads a whole table"
	case len(s.found) == 0:
		return "reads a whole index"
	case !slices.Contains(leads(), s.found[0]):
		return "is led by " + s.found[0]
	}
	return ""
}

// leads are the columns by which an index may be searched first: each value
// belongs to one room, workspace or object, or the column holds a time that
// separates what is due from the rest.
func leads() []string {
	return []string{
		"id", "room_id", "workspace_id", "account_id", "session_id", "endpoint_id", "poll_id", "breakout_id", "recording_id", "device_id", "link_id",
		"meeting_id", "connection_id", "created_by", "made_by", "personal_of", "person", "subject", "queue", "prefix", "code", "email", "name",
		"token_hash", "secret_hash", "ticket_hash",
		"admitted_at", "away_at", "waiting_since", "created_at", "deadline", "deleted_at", "due_at", "ended_at", "expires_at", "run_at", "starts_at", "until", "lease_until",
	}
}

// exempt are statements that may read more, by a part of their text.
func exempt() map[string]string {
	return map[string]string{
		"GROUP BY SUBSTR(v, 1, 11)":                                                 "checks the master key, once at the start",
		"SELECT room_id FROM live_meeting WHERE ended_at IS NULL":                   "lists all running meetings, whose index holds nothing else",
		"FROM recording WHERE status IN ('recording', 'processing')":                "lists all unfinished recordings, whose index holds nothing else",
		"SELECT l.id FROM room r JOIN join_link l":                                  "once an hour",
		"FROM group_place p WHERE NOT EXISTS":                                       "once an hour",
		"SELECT id FROM recording_device WHERE revoked_at":                          "once an hour",
		"WHERE previous_secret_until <=":                                            "once an hour",
		"ROW_NUMBER() OVER (PARTITION BY room_id ORDER BY closed_at DESC, id DESC)": "once an hour",
	}
}
