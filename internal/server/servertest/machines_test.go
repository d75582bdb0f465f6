package servertest

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/fault"
)

// A pair is two nodes of one service, of which one has a machine whose clock is
// wrong by an hour. One of them makes something that ends at some time, and only the
// other looks whether it has ended.
type pair struct {
	maker, other *Service

	key, workspace string
	seen           int // events
}

func (p *pair) nodes() []*Service { return []*Service{p.maker, p.other} }

// eachWrongClock calls tell with four pairs: the clock of the maker, or that of the
// other node, is an hour ahead or behind. If the nodes used their own clocks, what one
// of them made would end an hour early or late on the other.
func eachWrongClock(t *testing.T, o Options, tell func(t *testing.T, p *pair)) {
	t.Helper()
	for name, by := range map[string][]time.Duration{
		"maker ahead": {time.Hour, 0}, "other ahead": {0, time.Hour}, "maker behind": {-time.Hour, 0}, "other behind": {0, -time.Hour},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			nodes := Machines(t, o, by...)
			p := &pair{maker: nodes[0], other: nodes[1]}
			p.workspace = p.maker.Workspace("acme", "owner@acme.example")
			p.key = p.maker.Key(p.workspace, api.Scopes()...)
			tell(t, p)
		})
	}
}

// room makes a room on the maker.
func (p *pair) room(t *testing.T, settings string) api.Room {
	t.Helper()
	var room api.Room
	p.maker.ask(t, http.MethodPost, "/api/v1/rooms", p.key, `{"name": "Weekly", "settings": {`+settings+`}}`, &room)
	return room
}

// events checks that exactly these types of events have appeared since the last
// call.
func (p *pair) events(t *testing.T, want ...api.EventType) {
	t.Helper()
	var got []string
	all := p.maker.EventLog()
	for _, e := range all[p.seen:] {
		got = append(got, string(e.Type))
	}
	p.seen = len(all)
	wanted := make([]string, len(want))
	for i, kind := range want {
		wanted[i] = string(kind)
	}
	if strings.Join(got, " ") != strings.Join(wanted, " ") {
		t.Fatalf("the events are %v, want %v", got, wanted)
	}
}

// connect lets a person with a media token in through the maker's gate, and returns
// their media room and identity.
func (p *pair) connect(t *testing.T, token string) (room, identity string) {
	t.Helper()
	upstream, held, err := p.maker.Joins.LetThrough(t.Context(), token)
	if err == nil {
		_, err = p.maker.Media.Connect(upstream)
	}
	if err != nil {
		t.Fatal(err)
	}
	p.maker.Settle()
	return held.MediaRoom(), held.Identity
}

func TestBreakoutsEndInTimeWhenAClockIsWrong(t *testing.T) {
	t.Parallel()
	eachWrongClock(t, Options{}, func(t *testing.T, p *pair) {
		room := p.room(t, "")
		var session api.BreakoutSession
		p.maker.ask(t, http.MethodPost, "/api/v1/rooms/"+room.ID+"/breakouts", p.key, `{"rooms": 2, "duration_seconds": 600}`, &session)
		p.events(t, api.EventRoomCreated, api.EventBreakoutStarted)
		for range 9 {
			p.other.Advance(time.Minute)
		}
		p.events(t)
		p.other.Advance(time.Minute)
		p.events(t, api.EventBreakoutEnded)
		p.maker.Tick()
		p.events(t)
	})
}

func TestTokensAreValidOnEveryNodeWhenAClockIsWrong(t *testing.T) {
	t.Parallel()
	eachWrongClock(t, Options{}, func(t *testing.T, p *pair) {
		room := p.room(t, "")
		var used, late api.RoomToken
		for name, token := range map[string]*api.RoomToken{"Ada": &used, "Bob": &late} {
			p.maker.ask(t, http.MethodPost, "/api/v1/rooms/"+room.ID+"/tokens", p.key, `{"name": "`+name+`"}`, token)
		}
		allowed := func(token string, code string) {
			t.Helper()
			for i, node := range p.nodes() {
				if whose, _, err := node.Joins.Whose(token); err != nil {
					t.Errorf("node %d cannot read %s's token: %v", i, whose, err)
				}
				if err := node.Joins.WouldLetThrough(t.Context(), token); code == "" && err != nil || code != "" && !fault.HasCode(err, code) {
					t.Errorf("node %d says to a token: %v, want code %q", i, err, code)
				}
			}
		}
		allowed(used.Token, "")
		p.connect(t, used.Token)
		p.other.Advance(9 * time.Minute)
		allowed(late.Token, "")
		p.other.Advance(time.Minute)
		allowed(late.Token, api.CodeTokenExpired)
		if _, _, err := p.other.Joins.LetThrough(t.Context(), late.Token); !fault.HasCode(err, api.CodeTokenExpired) {
			t.Errorf("an expired token: %v", err)
		}
		allowed(used.Token, "") // those who are in may come back
		for _, node := range p.nodes() {
			if _, _, err := node.Joins.LetThrough(t.Context(), used.Token); err != nil {
				t.Errorf("coming back: %v", err)
			}
		}
		p.events(t, api.EventRoomCreated, api.EventRoomStarted, api.EventParticipantJoined)
	})
}

func TestKeysLinksAndSessionsExpireInTimeWhenAClockIsWrong(t *testing.T) {
	t.Parallel()
	eachWrongClock(t, Options{}, func(t *testing.T, p *pair) {
		room := p.room(t, "")
		var link api.JoinLink
		p.maker.ask(t, http.MethodPost, "/api/v1/rooms/"+room.ID+"/join-links", p.key, `{"name": "Ada", "expires_in": 600}`, &link)
		_, secret, _ := strings.Cut(link.URL, "#join=")
		expiring, _ := p.maker.KeyUntil(p.workspace, p.maker.Now().Add(10*time.Minute), api.Scopes()...)
		session := p.maker.SignIn("owner@acme.example", "Olga")
		answers := func(link, key, signedIn string) {
			t.Helper()
			for i, node := range p.nodes() {
				for what, one := range map[string]struct {
					answer Answer
					want   string
				}{
					"the link":    {node.Send(Request{Method: http.MethodPost, Path: "/meet/v1/look-up", Body: `{"code": "` + room.Code + `", "join_secret": "` + secret + `"}`}), link},
					"the key":     {node.Send(Request{Method: http.MethodGet, Path: "/api/v1/me", Bearer: expiring}), key},
					"the session": {node.Send(Request{Method: http.MethodGet, Path: "/api/v1/rooms", Header: InSession(session, p.workspace)}), signedIn},
				} {
					if one.answer.Code() != one.want || one.want == "" && one.answer.Status != http.StatusOK {
						t.Errorf("node %d answers %d %q for %s, want %q", i, one.answer.Status, one.answer.Code(), what, one.want)
					}
				}
			}
		}
		answers("", "", "")
		p.other.Advance(9 * time.Minute)
		answers("", "", "")
		p.other.Advance(time.Minute)
		answers(api.CodeLinkExpired, api.CodeAPIKeyExpired, "")
		p.other.Advance(30*24*time.Hour - 40*time.Minute)
		answers(api.CodeLinkExpired, api.CodeAPIKeyExpired, "") // half an hour before the session's end
		p.other.Advance(30*24*time.Hour + time.Hour)
		answers(api.CodeLinkExpired, api.CodeAPIKeyExpired, api.CodeSignInRequired)
	})
}

func TestAPlannedMeetingIsShownUntilItsEndWhenAClockIsWrong(t *testing.T) {
	t.Parallel()
	eachWrongClock(t, Options{}, func(t *testing.T, p *pair) {
		room := p.room(t, "")
		now := p.maker.Now()
		for title, in := range map[string]time.Duration{"Review": 10 * time.Minute, "Retrospective": 3 * time.Hour} {
			body, err := json.Marshal(map[string]any{"title": title, "room_id": room.ID, "starts_at": api.At(now.Add(in)), "ends_at": api.At(now.Add(in + 20*time.Minute))})
			if err != nil {
				t.Fatal(err)
			}
			p.maker.ask(t, http.MethodPost, "/api/v1/meetings", p.key, string(body), &struct{}{})
		}
		shown := func(title string, planned int) {
			t.Helper()
			for i, node := range p.nodes() {
				var page struct{ Next struct{ Title string } }
				node.ask(t, http.MethodPost, "/meet/v1/look-up", "", `{"code": "`+room.Code+`"}`, &page)
				var list api.List[api.Meeting]
				node.ask(t, http.MethodGet, "/api/v1/meetings", p.key, "", &list)
				if page.Next.Title != title || len(list.Data) != planned {
					t.Errorf("node %d shows %q next and %d meetings, want %q and %d", i, page.Next.Title, len(list.Data), title, planned)
				}
			}
		}
		shown("Review", 2)
		p.other.Advance(29 * time.Minute)
		shown("Review", 2)
		p.other.Advance(2 * time.Minute)
		shown("Retrospective", 1)
	})
}

func TestPeopleWaitForAnHourWhenAClockIsWrong(t *testing.T) {
	t.Parallel()
	eachWrongClock(t, Options{}, func(t *testing.T, p *pair) {
		room := p.room(t, `"admission": "knock"`)
		var ada seatOf
		p.maker.ask(t, http.MethodPost, "/meet/v1/join", "", `{"code": "`+room.Code+`", "name": "Ada"}`, &ada)
		waiting, _ := p.maker.follow(ada.Ticket, "", "")
		hears(t, waiting, "door", `"knock"`)
		waits := func(people int) {
			t.Helper()
			for i, node := range p.nodes() {
				var list api.List[api.WaitingParticipant]
				node.ask(t, http.MethodGet, "/api/v1/rooms/"+room.ID+"/waiting", p.key, "", &list)
				if len(list.Data) != people {
					t.Errorf("node %d shows %d people waiting, want %d", i, len(list.Data), people)
				}
			}
		}
		p.other.Tick()
		waits(1)
		p.other.Advance(59 * time.Minute)
		waits(1)
		p.other.Advance(time.Minute)
		waits(0)
		hears(t, waiting, "end", `"expired"`)
	})
}

// Ada's connection breaks just after the gate let her through again.
func TestDevicesHaveTimeToConnectWhenAClockIsWrong(t *testing.T) {
	t.Parallel()
	eachWrongClock(t, Options{}, func(t *testing.T, p *pair) {
		room := p.room(t, "")
		var token api.RoomToken
		p.maker.ask(t, http.MethodPost, "/api/v1/rooms/"+room.ID+"/tokens", p.key, `{"name": "Ada"}`, &token)
		mediaRoom, identity := p.connect(t, token.Token)
		p.events(t, api.EventRoomCreated, api.EventRoomStarted, api.EventParticipantJoined)
		p.other.Advance(time.Minute)
		if _, _, err := p.maker.Joins.LetThrough(t.Context(), token.Token); err != nil {
			t.Fatal(err)
		}
		if err := p.maker.Media.Vanish(mediaRoom, identity); err != nil {
			t.Fatal(err)
		}
		p.other.Tick()
		p.other.Advance(4 * time.Second)
		p.events(t)
		p.other.Advance(6 * time.Second)
		p.events(t, api.EventParticipantLeft)
		p.other.Advance(11 * time.Second)
		p.events(t, api.EventRoomFinished)
	})
}

func TestAnAnswerIsKeptForADayWhenAClockIsWrong(t *testing.T) {
	t.Parallel()
	eachWrongClock(t, Options{}, func(t *testing.T, p *pair) {
		made := func(node *Service) (roomID string) {
			t.Helper()
			a := node.Send(Request{
				Method: http.MethodPost, Path: "/api/v1/rooms", Bearer: p.key, Body: `{"name": "Weekly"}`,
				Header: http.Header{"Idempotency-Key": {"order-1042"}},
			})
			var room api.Room
			if err := json.Unmarshal(a.Body, &room); err != nil || a.Status != http.StatusCreated {
				t.Fatalf("%d %s", a.Status, a.Body)
			}
			return room.ID
		}
		first := made(p.maker)
		for _, after := range []time.Duration{0, 23*time.Hour + 30*time.Minute} {
			p.other.Advance(after)
			if again := made(p.other); again != first {
				t.Errorf("%v later the same request made another room", after)
			}
		}
		p.other.Advance(30 * time.Minute)
		if again := made(p.other); again == first {
			t.Error("a day later the answer is still kept")
		}
		p.events(t, api.EventRoomCreated, api.EventRoomCreated)
	})
}

func TestARecordingWaitsForItsPartsWhenAClockIsWrong(t *testing.T) {
	t.Parallel()
	eachWrongClock(t, Options{}, func(t *testing.T, p *pair) {
		room, part := p.room(t, ""), strings.Repeat("x", 100)
		u := p.maker.Record(p.key, room.ID)
		p.maker.must(u.Part(0, part), nil)
		p.events(t, api.EventRoomCreated, api.EventRoomStarted, api.EventParticipantJoined)
		p.other.Advance(4 * time.Minute) // a device may send nothing for five minutes
		p.events(t)
		p.maker.must(u.Part(1, part), nil)
		p.maker.must(Request{Method: http.MethodPost, Path: "/meet/v1/leave", Bearer: u.Ticket}, nil)
		p.other.Advance(time.Second)
		p.events(t, api.EventParticipantLeft)
		p.other.Advance(time.Minute)
		p.events(t, api.EventRoomFinished)
		p.maker.must(u.Part(2, part), nil)
		p.other.Advance(4 * time.Minute) // parts may arrive until five minutes after the last
		p.events(t)
		p.other.Advance(time.Minute)
		p.events(t, api.EventRecordingReady)
	})
}

// Clients count down by the dates of answers (web/client/src/server-time.ts).
func TestTheDateOfAnswersIsTheDatabasesTime(t *testing.T) {
	t.Parallel()
	eachWrongClock(t, Options{}, func(t *testing.T, p *pair) {
		p.other.Advance(24 * time.Hour)
		for i, node := range p.nodes() {
			for _, r := range []Request{
				{Method: http.MethodGet, Path: "/api/v1/rooms", Bearer: p.key},
				{Method: http.MethodGet, Path: "/api/v1/rooms", Bearer: "conclave_unknown"},
				{Method: http.MethodPost, Path: "/meet/v1/look-up", Body: `{"code": "abc-defg-hjk"}`},
			} {
				said := node.Send(r).Header.Get("Date")
				date, err := http.ParseTime(said)
				if off := p.other.Now().Sub(date); err != nil || off.Abs() > time.Minute {
					t.Errorf("node %d answers %s with Date: %q, which is %v ago", i, r.Path, said, off)
				}
			}
		}
	})
}
