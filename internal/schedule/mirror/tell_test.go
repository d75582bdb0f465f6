package mirror

import (
	"strings"
	"testing"
)

// The name of a calendar, which its server chooses, takes at most one line of a mail.
func TestTheNameOfACalendarTakesOneLineOfAMail(t *testing.T) {
	t.Parallel()
	c := Connection{Provider: CalDAV, Name: "Work\r\n\r\nPay here:\u2028" + strings.Repeat("x", longestName)}
	m := lostMail(c, "ada@acme.example", "https://meet.example.com")
	first, _, _ := strings.Cut(m.Text, "\n")
	if want := `the calendar "Work  Pay here: ` + strings.Repeat("x", longestName-len("Work  Pay here: ")) + `" (CalDAV).`; !strings.HasSuffix(first, want) {
		t.Errorf("the mail begins with %q, which does not end in %q", first, want)
	}
}
