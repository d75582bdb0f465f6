package main_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/db/dbtest"
	"github.com/conclave-rooms/conclave/internal/media"
	"github.com/conclave-rooms/conclave/internal/media/mediaclient"
)

// attendees is how many people come and go while the service is killed.
const attendees = 6

// attendee is a person with a media token, who speaks while they are in.
type attendee struct {
	token api.RoomToken
	here  *mediaclient.Participant // nil while they are not in
}

// People with real sound join, leave and vanish while the service, with its
// media server, is killed at random moments. Everybody who joined leaves
// exactly once before they join again, meetings start and end alternately, and
// the customer's server receives the same.
func TestEveryJoinHasOneLeaveThroughCrashes(t *testing.T) {
	t.Parallel()
	kills := killsWanted(t, 3)
	dbtest.EachConfig(t, func(t *testing.T, where db.Config) {
		_, key := newKey(t, where)
		in, url := newInbox(t)
		p := start(t, "serve", where, "--webhooks-allow-private")
		if status, body := p.call(http.MethodPost, "/api/v1/webhooks", key, fmt.Sprintf(`{"url": %q, "events": ["*"]}`, url)); status != http.StatusCreated {
			t.Fatalf("make the endpoint: %d %s", status, body)
		}
		roomID, people := invited(t, p, key)
		since := time.Now()
		for range kills {
			killedInAMeeting(t, p, people)
			p = start(t, "serve", where, "--webhooks-allow-private")
			if time.Since(since) > 5*time.Minute { // a token is valid for ten
				inviteAll(t, p, key, roomID, people)
				since = time.Now()
			}
		}
		// The last meeting has everybody in it, and ends with a goodbye.
		everybodyComes(t, p, key, roomID, people)
		for i := range people {
			people[i].goes()
		}
		waitUntilItIsOver(t, p, key, roomID)
		ids := eventIDs(t, where)
		waitForAll(t, where, in, ids)
		checkDeliveries(t, where, in)
		checkPairs(t, where, kills)
		p.stop()
	})
}

// invited makes a room and a media token for everybody.
func invited(t *testing.T, p *process, key string) (roomID string, people []attendee) {
	t.Helper()
	var r api.Room
	status, body := p.call(http.MethodPost, "/api/v1/rooms", key, `{"name": "Storm"}`)
	if err := json.Unmarshal(body, &r); err != nil || status != http.StatusCreated {
		t.Fatalf("make the room: %d %s", status, body)
	}
	people = make([]attendee, attendees)
	inviteAll(t, p, key, r.ID, people)
	t.Cleanup(func() {
		for i := range people {
			people[i].goes()
		}
	})
	return r.ID, people
}

// inviteAll makes a media token for everybody.
func inviteAll(t *testing.T, p *process, key, roomID string, people []attendee) {
	t.Helper()
	for i := range people {
		status, body := p.call(http.MethodPost, "/api/v1/rooms/"+roomID+"/tokens", key, fmt.Sprintf(`{"name": "Person %d", "user_id": "%d"}`, i, i))
		if err := json.Unmarshal(body, &people[i].token); err != nil || status != http.StatusCreated {
			t.Fatalf("make a token: %d %s", status, body)
		}
	}
}

// comes connects a person with their token. It may fail, because the service
// may be killed meanwhile.
func (a *attendee) comes(ctx context.Context, p *process) error {
	if a.here != nil {
		a.goes() // closes the rest of a connection to a service that was killed
	}
	ctx, cancel := context.WithTimeout(ctx, 2*patience)
	defer cancel()
	here, err := mediaclient.Connect(ctx, mediaclient.Options{URL: "ws" + p.url[len("http"):], Token: a.token.Token, Passphrase: a.token.E2EEPassphrase})
	if err != nil {
		return err
	}
	a.here = here
	_, err = here.Publish(ctx, media.Microphone)
	return err
}

// comesSoon says whether a person comes in before the others lose patience.
func (a *attendee) comesSoon(ctx context.Context, p *process) bool {
	ctx, cancel := context.WithTimeout(ctx, patience/2)
	defer cancel()
	return a.comes(ctx, p) == nil
}

// everybodyComes connects everybody and waits until the service has noticed.
func everybodyComes(t *testing.T, p *process, key, roomID string, people []attendee) {
	t.Helper()
	for i := range people {
		if err := people[i].comes(t.Context(), p); err != nil {
			t.Fatalf("somebody could not come back: %v\n%s", err, p.log)
		}
	}
	eventually(t, p, "everybody is in", func() bool {
		var in struct{ Data []json.RawMessage }
		p.get("/api/v1/rooms/"+roomID+"/participants", key, &in)
		return len(in.Data) == attendees
	})
}

// eventually polls until a condition holds.
func eventually(t *testing.T, p *process, what string, so func() bool) {
	t.Helper()
	look := time.NewTicker(200 * time.Millisecond)
	defer look.Stop()
	enough := time.After(2 * patience)
	for !so() {
		select {
		case <-look.C:
		case <-enough:
			t.Fatalf("timed out waiting until %s\n%s", what, p.log)
		}
	}
}

// goes disconnects with a goodbye.
func (a *attendee) goes() {
	if a.here != nil {
		a.here.Disconnect()
		a.here = nil
	}
}

// vanishes cuts the network without a word.
func (a *attendee) vanishes() {
	if a.here != nil {
		a.here.Kill()
		a.here.Disconnect()
		a.here = nil
	}
}

// killedInAMeeting lets people join, leave and vanish, all at once, and kills
// the service after a random number of their steps, or when everybody has
// settled.
func killedInAMeeting(t *testing.T, p *process, people []attendee) {
	t.Helper()
	var (
		mu      sync.Mutex
		steps   int
		settled int // people who stay until the end, or were refused
		enough  = 1 + rand.N(3*attendees)
		there   = make(chan struct{}, attendees+1)
		killed  = make(chan struct{})
		acting  sync.WaitGroup
	)
	alive, cancel := context.WithCancel(t.Context())
	defer cancel()
	counts := func(what *int, wanted int) {
		mu.Lock()
		defer mu.Unlock()
		*what++
		if *what == wanted {
			there <- struct{}{}
		}
	}
	for i := range people {
		acting.Go(func() {
			for people[i].comesSoon(alive, p) { // refused or cut off means that the end is near
				counts(&steps, enough)
				switch rand.N(4) {
				case 0:
					people[i].goes()
					continue
				case 1:
					people[i].vanishes()
					continue
				}
				break // stays, and is in when the service is killed
			}
			counts(&settled, attendees)
			<-killed
		})
	}
	within(t, there, "people to come and go")
	if err := p.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	p.wait()
	cancel() // ends connections that are still being made
	close(killed)
	gone := make(chan struct{})
	go func() {
		acting.Wait()
		close(gone)
	}()
	within(t, gone, "people to notice that the service was killed")
}

// waitUntilItIsOver waits until nobody is in and the meeting has closed.
func waitUntilItIsOver(t *testing.T, p *process, key, roomID string) {
	t.Helper()
	eventually(t, p, "the meeting is over", func() bool {
		var people, events struct{ Data []json.RawMessage }
		p.get("/api/v1/rooms/"+roomID+"/participants", key, &people)
		p.get("/api/v1/events?limit=1", key, &events)
		var newest struct{ Type api.EventType }
		if err := json.Unmarshal(events.Data[0], &newest); err != nil {
			t.Fatal(err)
		}
		return len(people.Data) == 0 && newest.Type == api.EventRoomFinished
	})
}

// checkPairs checks the event log after everybody has left.
func checkPairs(t *testing.T, where db.Config, kills int) {
	t.Helper()
	in, running, joins := pairs(t, where)
	for who, still := range in {
		if still {
			t.Errorf("%s never left", who)
		}
	}
	if running || joins < attendees {
		t.Errorf("a meeting still runs: %v; %d people joined", running, joins)
	}
	t.Logf("%d kills, %d times somebody joined and left", kills, joins)
}

// pairs checks the event log in the order in which it was written, and says who is in,
// whether a meeting runs, and how often somebody joined.
func pairs(t *testing.T, where db.Config) (in map[string]bool, running bool, joins int) {
	t.Helper()
	in = map[string]bool{}
	read(t, where, `SELECT type, data FROM event ORDER BY created_at, id`, func(kind, text string) {
		var data struct{ Participant struct{ Identity string } }
		if err := json.Unmarshal([]byte(text), &data); err != nil {
			t.Error(err)
		}
		who, begins := data.Participant.Identity, kind == string(api.EventParticipantJoined) || kind == string(api.EventRoomStarted)
		switch api.EventType(kind) {
		case api.EventRoomStarted, api.EventRoomFinished:
			if running == begins {
				t.Errorf("%s, and a meeting ran already: %v", kind, running)
			}
			running = begins
		case api.EventParticipantJoined, api.EventParticipantLeft:
			if in[who] == begins || !running {
				t.Errorf("%s of %s, who was in: %v; a meeting runs: %v", kind, who, in[who], running)
			}
			in[who] = begins
			if begins {
				joins++
			}
		default:
		}
	})
	return in, running, joins
}
