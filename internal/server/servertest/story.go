package servertest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/db/dbtest"
	"github.com/conclave-rooms/conclave/internal/fault"
)

// Stories runs every story of the package under test on both databases. Then it
// checks how these execute the statements that the stories sent.
func Stories(t *testing.T) {
	t.Helper()
	asked := map[db.Engine]*statements{db.SQLite: {}, db.PostgreSQL: {}}
	t.Run("stories", func(t *testing.T) { tellAll(t, asked) })
	for engine := range asked {
		t.Run("plans/"+string(engine), func(t *testing.T) {
			t.Parallel()
			checkPlans(t, engine, asked[engine])
		})
	}
}

func tellAll(t *testing.T, asked map[db.Engine]*statements) {
	t.Helper()
	files, err := filepath.Glob("testdata/stories/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no stories in testdata/stories (%v)", err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			t.Parallel()
			for engine, collected := range asked {
				t.Run(string(engine), func(t *testing.T) {
					t.Parallel()
					tell(t, dbtest.Config(t, engine), file, string(text), Options{asked: collected.asked})
				})
			}
		})
	}
}

// line is one command of a story.
type line struct {
	number int
	word   string
	rest   string // the rest of the line, as written
}

// story is the state of a story while it runs.
type story struct {
	*Service

	t         testing.TB
	at        string // the current line, for messages
	next      string // the word of the line after it
	vars      map[string]string
	bear      string      // the API key in use
	more      http.Header // headers of the next request
	last      Answer      // of the last request
	turn      error       // the last refusal without HTTP: of connect, key or member
	works     map[string]string
	keys      map[string]string // ids by name
	crowd     map[string]*person
	flows     map[string]*follower
	receivers map[string]*receiver
	seen      map[string]bool // events that some line has named
	batch     []told          // those that the last line named
}

// tell runs one story.
func tell(t testing.TB, where db.Config, file, text string, options Options) {
	t.Helper()
	lines := parse(text)
	for len(lines) > 0 && options.set(lines[0].word) {
		lines = lines[1:]
	}
	s := &story{
		Service: Start(t, where, options), t: t, vars: map[string]string{}, works: map[string]string{}, keys: map[string]string{},
		crowd: map[string]*person{}, flows: map[string]*follower{}, seen: map[string]bool{}, receivers: map[string]*receiver{},
	}
	t.Cleanup(s.closeFollowers)
	for i, l := range lines {
		s.at, s.next = fmt.Sprintf("%s:%d: %s %s", file, l.number, l.word, l.rest), ""
		if i+1 < len(lines) {
			s.next = lines[i+1].word
		}
		s.run(l)
	}
	s.at = file + ": at its end"
	s.expectEvents(nil)
}

// set sets an option at the beginning of a story; false when the word is no
// option.
func (o *Options) set(word string) bool {
	switch word {
	case "rate-limits":
		o.RateLimits = true
	case "allow-private":
		o.AllowPrivate = true
	case "small-quotas":
		o.SmallQuotas = true
	default:
		return false
	}
	return true
}

// parse splits a story into its commands.
func parse(text string) []line {
	var lines []line
	for i, raw := range strings.Split(text, "\n") {
		raw = strings.TrimSpace(raw)
		if raw == "" || strings.HasPrefix(raw, "#") {
			continue
		}
		word, rest, _ := strings.Cut(raw, " ")
		lines = append(lines, line{number: i + 1, word: word, rest: strings.TrimSpace(rest)})
	}
	return lines
}

func (s *story) run(l line) {
	s.t.Helper()
	do, ok := commands()[l.word]
	if !ok {
		s.fatal("there is no such command")
	}
	do(s, s.expand(l.rest))
	s.Settle()
}

func (s *story) fatal(format string, args ...any) {
	s.t.Helper()
	s.t.Fatalf("%s\n\t%s\n\tthe last answer was %d %s", s.at, fmt.Sprintf(format, args...), s.last.Status, s.last.Body)
}

var (
	variable = regexp.MustCompile(`\$\{?([A-Z][A-Z0-9_]*)\}?`)
	repeated = regexp.MustCompile(`<(\d+)(?: ([^>\s]))?>`)
)

// expand inserts values: $NAME is what was saved under a name, <80> is a text
// of 80 characters, <80 é> one of 80 é.
func (s *story) expand(text string) string {
	s.t.Helper()
	text = variable.ReplaceAllStringFunc(text, func(m string) string {
		name := variable.FindStringSubmatch(m)[1]
		value, ok := s.vars[name]
		if !ok {
			s.fatal("nothing was saved as %s", name)
		}
		return value
	})
	return repeated.ReplaceAllStringFunc(text, func(m string) string {
		parts := repeated.FindStringSubmatch(m)
		n, _ := strconv.Atoi(parts[1])
		if parts[2] == "" {
			parts[2] = "x"
		}
		return strings.Repeat(parts[2], n)
	})
}

// words splits the arguments of a command into n words; the last one holds the
// rest of the line. Missing words are empty.
func words(rest string, n int) []string {
	out := make([]string, n)
	for i := range n - 1 {
		out[i], rest, _ = strings.Cut(rest, " ")
		rest = strings.TrimSpace(rest)
	}
	out[n-1] = rest
	return out
}

// options takes name=value words off the beginning of a text.
func options(rest string, known ...string) (map[string]string, string) {
	out := map[string]string{}
	for {
		word, after, _ := strings.Cut(rest, " ")
		name, value, ok := strings.Cut(word, "=")
		if !ok || !contains(known, name) {
			return out, rest
		}
		out[name], rest = value, strings.TrimSpace(after)
	}
}

func contains(list []string, one string) bool {
	for _, v := range list {
		if v == one {
			return true
		}
	}
	return false
}

// turnedAway notes a refusal without HTTP, and fails unless the next line
// expects it.
func (s *story) turnedAway(err error) {
	s.t.Helper()
	s.turn = err
	if _, refused := fault.As(err); err != nil && (!refused || s.next != "turned-away") {
		s.fatal("%v", err)
	}
}

func (s *story) expectTurnedAway(rest string) {
	s.t.Helper()
	f, ok := fault.As(s.turn)
	w := words(rest, 2)
	if !ok || f.Code != w[0] || f.Param != w[1] {
		s.fatal("got %v", s.turn)
	}
	if f.Message == "" {
		s.fatal("the refusal has no sentence")
	}
}

// duration parses +10s, -1s, 30d.
func (s *story) duration(text string) time.Duration {
	s.t.Helper()
	if days, ok := strings.CutSuffix(text, "d"); ok {
		n, err := strconv.Atoi(strings.TrimPrefix(days, "+"))
		if err != nil {
			s.fatal("%q is not a time", text)
		}
		return time.Duration(n) * 24 * time.Hour
	}
	d, err := time.ParseDuration(strings.TrimPrefix(text, "+"))
	if err != nil {
		s.fatal("%q is not a time", text)
	}
	return d
}

// scopes parses a list of scopes; all stands for every scope.
func scopes(text string) []api.Scope {
	if text == "all" {
		return api.Scopes()
	}
	var out []api.Scope
	for _, word := range strings.Split(text, ",") {
		out = append(out, api.Scope(word))
	}
	return out
}

// value parses an expected value: JSON, or a plain word for a string.
func value(text string) any {
	var v any
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		return text
	}
	return v
}
