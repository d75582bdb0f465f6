package stream

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
	"testing"
)

func names(t *testing.T, out *bytes.Buffer) []string {
	t.Helper()
	var got []string
	for _, m := range regexp.MustCompile(`(?m)^event: (.*)$`).FindAllStringSubmatch(out.String(), -1) {
		got = append(got, m[1])
	}
	out.Reset()
	return got
}

func lastID(out *bytes.Buffer) string {
	all := regexp.MustCompile(`(?m)^id: (.*)$`).FindAllStringSubmatch(out.String(), -1)
	return all[len(all)-1][1]
}

// A part is sent as a whole when it has changed. A device that comes back gets
// only the parts that it does not have.
func TestAStreamSendsWhatTheDeviceDoesNotHave(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	flush := func() error { return nil }
	parts := func(room, people string) []part {
		return []part{{name: "room", data: []byte(room), sum: room}, {name: "people", data: []byte(people), sum: people}}
	}
	first := newStream(&out, flush, "", "")
	send := func(st *stream, p []part, want ...string) {
		t.Helper()
		if err := st.send(p); err != nil {
			t.Fatal(err)
		}
		if got := names(t, &out); !slices.Equal(got, want) {
			t.Errorf("sent %q, want %q", got, want)
		}
	}
	send(first, parts("r1", "p1"), "room", "people")
	send(first, parts("r1", "p1"))
	if err := first.send(parts("r1", "p2")); err != nil {
		t.Fatal(err)
	}
	resume := lastID(&out)
	if got := names(t, &out); !slices.Equal(got, []string{"people"}) {
		t.Errorf("sent %q, want the part that changed", got)
	}
	send(newStream(&out, flush, resume, ""), parts("r1", "p2"))
	send(newStream(&out, flush, resume, ""), parts("r2", "p2"), "room")
	send(newStream(&out, flush, "nonsense,room:", ""), parts("r2", "p2"), "room", "people")

	// Claims that a device made up are not repeated in later events.
	made := newStream(&out, flush, "people:p2,"+strings.Repeat("x:"+strings.Repeat("y", 100)+",", 300)+"z:z", "")
	if err := made.send(parts("r2", "p2")); err != nil {
		t.Fatal(err)
	}
	if got := lastID(&out); got != "people:p2,room:r2" {
		t.Errorf("the id of the first event is %.200s", got)
	}
	out.Reset()
	send(made, parts("r2", "p3"), "people")
	send(made, parts("r2", "p2"), "people")
}

// A device that comes back a second time does not get again what it had the first time.
func TestAPartThatIsNotRepeatedStaysKnown(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	flush := func() error { return nil }
	come := func(id, room string) []string {
		t.Helper()
		parts := []part{{name: "room", data: []byte(room), sum: room}, {name: "people", data: []byte("p1"), sum: "p1"}}
		if err := newStream(&out, flush, id, "").send(parts); err != nil {
			t.Fatal(err)
		}
		return []string{lastID(&out), strings.Join(names(t, &out), " ")}
	}
	first := come("", "r1")
	second := come(first[0], "r2")
	if third := come(second[0], "r3"); second[1] != "room" || third[1] != "room" {
		t.Errorf("sent %q, then %q; want the room both times", second[1], third[1])
	}
}

// A device that asked for changes gets a part as the changes since the state that it
// has, or says that it has.
func TestAStreamSendsChangesToThoseWhoAsk(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	flush := func() error { return nil }
	people := func(sum string) []part {
		return []part{{name: "people", data: []byte("all " + sum), sum: sum, since: func(had string) []byte { return []byte(had + " to " + sum) }}}
	}
	says := func(st *stream, sum, want string) {
		t.Helper()
		out.Reset()
		if err := st.send(people(sum)); err != nil {
			t.Fatal(err)
		}
		if got := out.String(); got != want {
			t.Errorf("sent %q, want %q", got, want)
		}
	}
	asked := newStream(&out, flush, "", "others,people")
	says(asked, "p1", "event: people_changed\nid: people:p1\ndata:  to p1\n\n")
	says(asked, "p1", "")
	says(asked, "p2", "event: people_changed\nid: people:p2\ndata: p1 to p2\n\n")
	back := newStream(&out, flush, "people:p2", "people")
	says(back, "p4", "event: people_changed\nid: people:p4\ndata: p2 to p4\n\n")
	says(newStream(&out, flush, "people:p2", "people"), "p2", "")
	says(newStream(&out, flush, "people:p2", ""), "p4", "event: people\nid: people:p4\ndata: all p4\n\n")
}
