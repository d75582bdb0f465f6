package calendartest

import (
	"fmt"
	"time"
)

// Event is an event as a calendar holds it, read without the client under test.
type Event struct {
	Title  string
	Text   string
	Place  string
	Starts time.Time
	Ends   time.Time
	Rule   string // as the provider writes it; "" if there is none
	Ours   bool
}

func (e Event) String() string {
	return fmt.Sprintf("%q %q %q %s %s %q ours=%v", e.Title, e.Text, e.Place, e.Starts.UTC(), e.Ends.UTC(), e.Rule, e.Ours)
}
