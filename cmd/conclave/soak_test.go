package main_test

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/load"
)

// mostRounds is how many rounds the short form has at most. Bounds are larger where a
// figure is larger, so what leaks would be within them in the end.
const mostRounds = 4

// A service is used for a long time: people join, talk, leave, knock, vote and move to
// breakouts, in rounds, while one meeting goes on all the time. At the end the service
// needs no more than after it had warmed up. The short form has no time to warm up:
// one of its rounds needs no more than the round before.
func TestSoak(t *testing.T) {
	t.Parallel()
	length, short := timeWanted(t, soakEnv, 10*time.Second), os.Getenv(soakEnv) == ""
	s := newSite(t, db.SQLite, "--webhooks-allow-private")
	s.everybodyIn(make([]int64, speakers))
	var readings []reading
	joined := 0
	for began := time.Now(); time.Since(began) < length || !soaked(readings, short); {
		joined += s.round(min(max(length/12, 3*time.Second), 30*time.Second))
		readings = append(readings, s.read(time.Since(began)))
		t.Log(readings[len(readings)-1])
	}
	rounds := len(readings)
	if short {
		readings = readings[rounds-2:]
	}
	before, after := settled(readings, length)
	t.Logf("%d rounds, people joined %d times\nwarm:  %s\nat end: %s", rounds, joined, before, after)
	for _, complaint := range after.exceeds(before) {
		t.Error(complaint)
	}
	if most := s.mostConnections(); most != 1 {
		t.Errorf("somebody in the meeting that goes on connected %d times", most)
	}
	s.everybodyLeaves()
	s.p.stop()
}

// soaked says whether the readings are enough. In the short form, a round may need more
// than the one before because of code that was not used before. What leaks leaks in every
// round, so the rounds go on until one needs no more.
func soaked(readings []reading, short bool) bool {
	n := len(readings)
	if n < 2 || !short {
		return n >= 2
	}
	return n >= mostRounds || len(readings[n-1].exceeds(readings[n-2])) == 0
}

// round lets people do everything once more, and returns how many came.
func (s *site) round(hold time.Duration) (joined int) {
	s.t.Helper()
	r := commandWithin(s.t, hold+3*patience, nil, "load", "--json", "--url", s.p.url, "--key", s.key, "--hold", hold.String(),
		"--rooms", "2", "--people", "3", "--microphones", "2", "--cameras", "1", "--join-rate", "6", "--churn", "60", "--knocks", "30",
		"--breakouts", "2", "--polls", "--webhooks", "127.0.0.1:0", "--max-failures", "0")
	var report load.Report
	if err := json.Unmarshal([]byte(r.stdout), &report); err != nil || r.status != 0 {
		s.t.Errorf("a round ends with status %d: %v\n%s%s", r.status, err, r.stdout, r.stderr)
	}
	for _, step := range report.Steps {
		if step.Step == "join" || step.Step == "admit" {
			joined += step.Count
		}
	}
	return joined
}

// mostConnections is how often the person connected who did so most.
func (s *site) mostConnections() (most int64) {
	for _, r := range s.people {
		most = max(most, r.connected.Load())
	}
	return most
}

// settled summarizes the readings after the warm-up, a quarter of the time: the first
// third and the last third of them, each by its middle.
func settled(readings []reading, length time.Duration) (before, after reading) {
	warm := slices.IndexFunc(readings, func(r reading) bool { return r.at >= length/4 })
	warm = max(0, min(warm, len(readings)-2))
	rest := readings[warm:]
	third := max(1, len(rest)/3)
	return middle(rest[:third]), middle(rest[len(rest)-third:])
}

// middle is the median of each figure.
func middle(readings []reading) reading {
	m := reading{at: readings[len(readings)-1].at, figures: map[string]float64{}}
	for name := range readings[0].figures {
		var all []float64
		for _, r := range readings {
			all = append(all, r.figures[name])
		}
		slices.Sort(all)
		m.figures[name] = all[len(all)/2]
	}
	return m
}

func TestTheMiddleOfReadingsIsTheirMedian(t *testing.T) {
	t.Parallel()
	var readings []reading
	for i, n := range []float64{90, 1, 2, 3, 4, 5, 6, 7, 8, 9} {
		readings = append(readings, reading{at: time.Duration(i+1) * time.Minute, figures: map[string]float64{"rows of seat": n}})
	}
	before, after := settled(readings, 8*time.Minute)
	if got := fmt.Sprint(before.figures, after.figures); got != "map[rows of seat:2] map[rows of seat:8]" {
		t.Errorf("the middles are %s", got)
	}
	if before, after := settled(readings[:2], time.Second); before.figures["rows of seat"] != 90 || after.figures["rows of seat"] != 1 {
		t.Errorf("of two: %v, %v", before, after)
	}
}

// The short form goes on while its rounds need more and more, but not for ever.
func TestAShortSoakEndsWithARoundThatNeedsNoMore(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		short bool
		rows  []float64
		want  bool
	}{
		{"one round", true, []float64{0}, false},
		{"two alike", true, []float64{20, 20}, true},
		{"the second needs more", true, []float64{0, 20}, false},
		{"the third needs no more than the second", true, []float64{0, 20, 21}, true},
		{"all of them need more", true, []float64{0, 20, 40}, false},
		{"all of them, up to the last one", true, []float64{0, 20, 40, 60}, true},
		{"the long form, one round", false, []float64{0}, false},
		{"the long form", false, []float64{0, 20}, true},
	} {
		var readings []reading
		for _, n := range c.rows {
			readings = append(readings, reading{figures: map[string]float64{"rows of seat": n}})
		}
		if got := soaked(readings, c.short); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

// A figure may grow by its bound, and one without a bound is noticed.
func TestASoakReportsFiguresThatGrow(t *testing.T) {
	t.Parallel()
	before := reading{figures: map[string]float64{"media: goroutines": 1000, "service: MB": 100, "rows of job": 0}}
	at := reading{figures: map[string]float64{"media: goroutines": 1210, "service: MB": 125, "rows of job": 5}}
	if got := at.exceeds(before); len(got) != 0 {
		t.Errorf("at the bounds: %q", got)
	}
	past := reading{figures: map[string]float64{"media: goroutines": 1211, "service: MB": 126, "rows of job": 6, "threads": 1}}
	want := []string{
		"media: goroutines: 1211 at the end, more than 1210; it was 1000 after the warm-up",
		"rows of job: 6 at the end, more than 5; it was 0 after the warm-up",
		"service: MB: 126 at the end, more than 125; it was 100 after the warm-up",
		"threads has no bound",
	}
	if got := past.exceeds(before); !slices.Equal(got, want) {
		t.Errorf("past the bounds: %q, want %q", got, want)
	}
}
