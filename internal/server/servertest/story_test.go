package servertest

import (
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/db/dbtest"
)

// witness is a test that may fail without failing the test around it.
type witness struct {
	testing.TB

	mu   sync.Mutex
	said []string
}

func (w *witness) note(text string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.said = append(w.said, text)
}

func (w *witness) Helper() {}

func (w *witness) Errorf(format string, args ...any) { w.note(fmt.Sprintf(format, args...)) }

func (w *witness) Fatal(args ...any) {
	w.note(fmt.Sprint(args...))
	runtime.Goexit()
}

func (w *witness) Fatalf(format string, args ...any) {
	w.note(fmt.Sprintf(format, args...))
	runtime.Goexit()
}

// A story with a wrong expectation fails: a runner that accepts everything
// would make every story worthless.
func TestAWrongStoryFails(t *testing.T) {
	t.Parallel()
	const begin = "key all scopes=all\napi POST /rooms {\"name\": \"Weekly\"}\nsave ROOM id\nevents room.created\n"
	const people = begin + "api POST /rooms/$ROOM/tokens {\"name\": \"Ada\"}\nsave TOKEN token\nconnect ada $TOKEN\n"
	const met = people + "events room.started participant.joined\n"
	for name, c := range map[string]struct{ story, complaint string }{
		"nothing":                       {begin, ""},
		"a whole meeting":               {met + "leave ada\nclock +10s\nevents participant.left=Ada:left room.finished:empty", ""},
		"an event nobody named":         {people, "the events are: room.started participant.joined"},
		"an event that is not there":    {begin + "events room.deleted", "the events are:"},
		"events in another order":       {people + "events participant.joined room.started", "the events are: room.started participant.joined"},
		"another person's event":        {people + "events room.started participant.joined=Bob", "participant.joined=Ada"},
		"another reason":                {met + "leave ada\nevents participant.left:removed", "participant.left:left"},
		"an event in other words":       {begin + "event room.created room.name Monthly", "got Weekly"},
		"an event that was not named":   {begin + "event room.deleted room.name Weekly", "no such event"},
		"an unexpected refusal":         {begin + "api GET /rooms/nowhere", "it was refused"},
		"another refusal":               {begin + "api GET /rooms/nowhere\nrefused 404 route_not_found", "got 404 not_found"},
		"a refusal of another field":    {begin + "api POST /rooms {}\nrefused 400 parameter_missing code", "got 400 parameter_missing name"},
		"a refusal that was a success":  {begin + "api GET /rooms\nrefused 404 not_found", "got 200"},
		"another status":                {begin + "api GET /rooms\nstatus 201", "got 200"},
		"another value":                 {begin + "api GET /rooms/$ROOM\nwant name Monthly", "got Weekly"},
		"a value of another kind":       {begin + "api GET /rooms/$ROOM\nwant locked \"false\"", "got false"},
		"a value that should be absent": {begin + "api GET /rooms/$ROOM\nwant name absent", "got Weekly"},
		"a value that is not there":     {begin + "api GET /rooms/$ROOM\nwant deleted true", "it is not there"},
		"a pattern":                     {begin + "api GET /rooms/$ROOM\nwant name matches ^M", "got Weekly"},
		"the value it must not be":      {begin + "api GET /rooms/$ROOM\nwant name not Weekly", "got Weekly"},
		"another header":                {begin + "api GET /rooms\nwant header:Location /", "it is not there"},
		"a variable nobody saved":       {begin + "api GET /rooms/$PLACE", "nothing was saved as PLACE"},
		"a command nobody knows":        {begin + "dance", "there is no such command"},
		"somebody let in":               {people + "turned-away room_locked", "got"},
		"somebody turned away":          {begin + "connect ada nonsense", "not valid"},
		"turned away for another cause": {begin + "connect ada nonsense\nturned-away room_locked", "token_invalid"},
		"another track":                 {met + "publish ada microphone\ntrack ada microphone muted", "it is on"},
		"other rights":                  {met + "may ada microphone", "they may"},
		"somebody who is still there":   {met + "gone ada", "still has them"},
		"a stream that says otherwise":  {begin + "stream ada ticket=nonsense", "it was refused"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := &witness{TB: t}
			done := make(chan struct{})
			go func() {
				defer close(done)
				tell(w, dbtest.Config(t, db.SQLite), "story", c.story, Options{})
			}()
			<-done
			said := strings.Join(w.said, "\n")
			if (c.complaint == "") != (said == "") || !strings.Contains(said, c.complaint) {
				t.Errorf("said %q, want %q", said, c.complaint)
			}
		})
	}
}
