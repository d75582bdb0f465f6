package seat

import (
	"testing"
	"time"
)

// A person whose connection was lost takes part for a minute, and keeps the stage for 15
// seconds. After the clock was set back, neither lasts until it has caught up.
func TestWhatAPersonKeepsWhoseConnectionWasLost(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, time.November, 29, 12, 0, 0, 0, time.UTC)
	for name, c := range map[string]struct {
		status       Status
		gone         time.Duration
		takes, stage bool
	}{
		"in":                            {In, 0, true, true},
		"in, after a clock was set":     {In, -time.Hour, true, true},
		"lost now":                      {Lost, 0, true, true},
		"lost 15 seconds ago":           {Lost, 15 * time.Second, true, true},
		"lost 16 seconds ago":           {Lost, 16 * time.Second, true, false},
		"lost almost a minute ago":      {Lost, time.Minute - time.Millisecond, true, false},
		"lost a minute ago":             {Lost, time.Minute, false, false},
		"a clock is ahead by a second":  {Lost, -time.Second, true, true},
		"the clock was set back since":  {Lost, -time.Hour, false, false},
		"left, and did not come back":   {Left, time.Second, false, false},
		"removed, a moment ago":         {Removed, time.Second, false, false},
		"left before the clock was set": {Left, -time.Hour, false, false},
	} {
		s := Seat{Status: c.status, LeftAt: now.Add(-c.gone)}
		if takes, stage := s.Takes(now), s.OnStageStill(now); takes != c.takes || stage != c.stage {
			t.Errorf("%s: takes part: %v, keeps the stage: %v; want %v and %v", name, takes, stage, c.takes, c.stage)
		}
	}
}
