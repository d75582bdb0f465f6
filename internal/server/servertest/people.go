package servertest

import (
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strings"

	"github.com/conclave-rooms/conclave/internal/media"
)

// person is a person who was let through by the gate.
type person struct {
	room     string
	identity string
	upstream string // the token for the media server
	tracks   map[media.Source]string
}

func (s *story) who(name string) *person {
	p := s.crowd[name]
	if p == nil {
		s.fatal("nobody is called %s", name)
	}
	return p
}

func (s *story) letThrough(rest string) {
	w := words(rest, 2)
	upstream, held, err := s.Joins.LetThrough(s.t.Context(), w[1])
	s.turnedAway(err)
	if err != nil {
		return
	}
	s.crowd[w[0]] = &person{room: held.MediaRoom(), identity: held.Identity, upstream: upstream, tracks: map[media.Source]string{}}
}

func (s *story) ask(token string) {
	s.turnedAway(s.Joins.WouldLetThrough(s.t.Context(), token))
}

func (s *story) arrive(name string) {
	_, err := s.Media.Connect(s.who(name).upstream)
	s.succeed(err)
}

func (s *story) half(name string) {
	_, err := s.Media.Arrive(s.who(name).upstream)
	s.succeed(err)
}

func (s *story) connect(rest string) {
	s.letThrough(rest)
	if s.turn == nil {
		s.arrive(words(rest, 2)[0])
	}
}

// move gets a media token for the room where a person belongs now, connects
// with it, and leaves the former room.
func (s *story) move(rest string) {
	w := words(rest, 2)
	o, _ := options(w[1], "ticket")
	was := s.who(w[0])
	a := s.Send(Request{Method: http.MethodPost, Path: "/meet/v1/token", Bearer: o["ticket"]})
	var renewed struct{ Token string }
	if err := json.Unmarshal(a.Body, &renewed); err != nil || a.Status != http.StatusOK {
		s.fatal("no token: %d %s", a.Status, a.Body)
	}
	s.connect(w[0] + " " + renewed.Token)
	if was.room == s.who(w[0]).room {
		s.fatal("they are where they were")
	}
	if err := s.Media.Leave(was.room, was.identity); !errors.Is(err, media.ErrNotFound) { // already removed
		s.succeed(err)
	}
}

func (s *story) expectWhere(rest string) {
	w := words(rest, 2)
	rooms, err := s.Media.Rooms(s.t.Context())
	s.succeed(err)
	got := []string{}
	for _, r := range rooms {
		people, err := s.Media.Participants(s.t.Context(), r.Name)
		s.succeed(err)
		if slices.ContainsFunc(people, func(p media.Participant) bool { return p.Identity == s.who(w[0]).identity }) {
			got = append(got, r.Name)
		}
	}
	if strings.Join(got, " ") != strings.TrimPrefix(w[1], "nowhere") {
		s.fatal("they are in %v", got)
	}
}

func (s *story) succeed(err error) {
	s.t.Helper()
	if err != nil {
		s.fatal("%v", err)
	}
}

func (s *story) leave(name string) {
	p := s.who(name)
	s.succeed(s.Media.Leave(p.room, p.identity))
}

func (s *story) goodbye(name string) {
	p := s.who(name)
	s.Live.Goodbye(p.room, p.identity)
	s.Live.Quiesce()
}

func (s *story) vanish(name string) {
	p := s.who(name)
	s.succeed(s.Media.Vanish(p.room, p.identity))
}

// atMedia finds a person at the media server.
func (s *story) atMedia(name string) (media.Participant, bool) {
	p := s.who(name)
	people, err := s.Media.Participants(s.t.Context(), p.room)
	if err != nil && !errors.Is(err, media.ErrNotFound) {
		s.fatal("%v", err)
	}
	i := slices.IndexFunc(people, func(other media.Participant) bool { return other.Identity == p.identity })
	if i < 0 {
		return media.Participant{}, false
	}
	return people[i], true
}

func (s *story) gone(name string) {
	if _, there := s.atMedia(name); there {
		s.fatal("the media server still has them")
	}
}

func (s *story) publish(rest string) {
	w := words(rest, 3)
	p, source := s.who(w[0]), media.Source(w[1])
	track, err := s.Media.Publish(p.room, p.identity, source, w[2] == "muted")
	s.succeed(err)
	p.tracks[source] = track
}

func (s *story) refusesToPublish(rest string) {
	w := words(rest, 2)
	p := s.who(w[0])
	if _, err := s.Media.Publish(p.room, p.identity, media.Source(w[1]), false); !errors.Is(err, media.ErrRefused) {
		s.fatal("publishing gave %v", err)
	}
}

// expectGrant checks for exactly these rights: sources, data, and attributes of
// their own; - for none.
func (s *story) expectGrant(rest string) {
	w := words(rest, 2)
	p := s.who(w[0])
	g, err := s.Media.Grant(p.room, p.identity)
	s.succeed(err)
	var got []string
	for _, source := range g.PublishSources {
		got = append(got, string(source))
	}
	if g.PublishData {
		got = append(got, "data")
	}
	if g.OwnAttributes {
		got = append(got, "attributes")
	}
	if strings.Join(got, " ") != strings.TrimPrefix(w[1], "-") {
		s.fatal("they may %v", got)
	}
}

func (s *story) unpublish(rest string) {
	w := words(rest, 2)
	p := s.who(w[0])
	s.succeed(s.Media.Unpublish(p.room, p.identity, p.tracks[media.Source(w[1])]))
}

func (s *story) mute(rest string)   { s.setMuted(rest, true) }
func (s *story) unmute(rest string) { s.setMuted(rest, false) }

func (s *story) setMuted(rest string, muted bool) {
	w := words(rest, 2)
	p := s.who(w[0])
	s.succeed(s.Media.SetMuted(p.room, p.identity, p.tracks[media.Source(w[1])], muted))
}

func (s *story) expectTrack(rest string) {
	w := words(rest, 3)
	there, _ := s.atMedia(w[0])
	got := "none"
	for _, t := range there.Tracks {
		if t.Source == media.Source(w[1]) {
			got = map[bool]string{true: "muted", false: "on"}[t.Muted]
		}
	}
	if got != w[2] {
		s.fatal("it is %s", got)
	}
}

func (s *story) attribute(rest string) {
	w := words(rest, 2)
	p := s.who(w[0])
	name, value, _ := strings.Cut(w[1], "=")
	s.succeed(s.Media.SetOwnAttributes(p.room, p.identity, map[string]string{name: value}))
	s.Tick() // the media server sends no hint of it
}

func (s *story) expectAttribute(rest string) {
	w := words(rest, 2)
	name, value, _ := strings.Cut(w[1], "=")
	there, _ := s.atMedia(w[0])
	if there.Attributes[name] != value {
		s.fatal("the attributes are %v", there.Attributes)
	}
}

func (s *story) expectName(rest string) {
	w := words(rest, 2)
	if there, _ := s.atMedia(w[0]); there.Name != w[1] {
		s.fatal("the media server calls them %q", there.Name)
	}
}

func (s *story) media(what string) {
	switch what {
	case "down":
		s.Media.Down(errors.New("the media server is down"))
	case "up":
		s.Media.Down(nil)
		s.Tick()
	case "quiet":
		s.Media.LoseHints(true)
	case "loud":
		s.Media.LoseHints(false)
	default:
		s.fatal("media down, up, quiet or loud")
	}
}
