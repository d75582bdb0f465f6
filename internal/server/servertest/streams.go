package servertest

import (
	"bufio"
	"net/http"
	"strings"
	"time"

	"github.com/conclave-rooms/conclave/internal/id"
)

// patience is how long a test waits for a stream. A test that passes never
// waits that long.
const patience = 20 * time.Second

// follower follows a meeting by its stream of events.
type follower struct {
	heard chan flowed // closed when the stream has ended
	quit  func()
	over  chan struct{} // closed when the service has noticed that the stream has ended
}

// flowed is one event of a stream.
type flowed struct {
	name string
	id   string
	data string
}

// follow opens a stream of events for a ticket, with the parts that it takes as
// changes. When it is refused, there is an answer and no stream.
func (s *Service) follow(ticket, lastEventID, changes string) (*follower, Answer) {
	s.t.Helper()
	over, number := make(chan struct{}), id.Random(10, id.Lower)
	s.following.Store(number, over)
	header := http.Header{followerHeader: {number}}
	if lastEventID != "" {
		header.Set("Last-Event-ID", lastEventID)
	}
	res, err := s.dispatch(Request{Method: http.MethodGet, Path: "/meet/v1/events?changes=" + changes, Bearer: ticket, Header: header})
	if err != nil {
		s.t.Fatalf("follow: %v", err)
	}
	if res.StatusCode != http.StatusOK {
		return nil, readAnswer(s.t, res)
	}
	f := &follower{over: over, heard: make(chan flowed, 256), quit: func() { _ = res.Body.Close() }}
	s.streams.Go(func() {
		defer close(f.heard)
		listen(bufio.NewScanner(res.Body), f.heard)
	})
	return f, Answer{Status: res.StatusCode, Header: res.Header}
}

// listen reads events until the stream ends.
func listen(lines *bufio.Scanner, heard chan<- flowed) {
	lines.Buffer(nil, 1<<20)
	var e flowed
	for lines.Scan() {
		field, value, _ := strings.Cut(lines.Text(), ": ")
		switch field {
		case "event":
			e.name = value
		case "id":
			e.id = value
		case "data":
			e.data = value
		case "":
			if e.name != "" {
				heard <- e
			}
			e = flowed{}
		}
	}
}

func (s *story) stream(rest string) {
	w := words(rest, 2)
	o, _ := options(w[1], "ticket", "last", "changes")
	f, answer := s.follow(o["ticket"], o["last"], o["changes"])
	if s.last = answer; f == nil {
		if s.next != "refused" {
			s.fatal("it was refused")
		}
		return
	}
	s.flows[w[0]] = f
}

// expectTold waits for an event of a stream. It skips events of other names,
// and of this name with another value: a stream may send an intermediate state
// first.
func (s *story) expectTold(rest string) {
	w := words(rest, 4)
	f := s.flows[w[0]]
	if f == nil {
		s.fatal("nobody called %s follows", w[0])
	}
	enough := time.NewTimer(patience)
	defer enough.Stop()
	var heard []string
	for {
		select {
		case e, open := <-f.heard:
			if !open {
				s.fatal("the stream has ended; before, it said: %s", strings.Join(heard, "; "))
			}
			heard = append(heard, e.name+" "+e.data)
			if e.name == w[1] && (w[2] == "" || s.says(e, w[2], w[3])) {
				s.vars["LAST_EVENT_ID"] = e.id
				s.last = Answer{Status: http.StatusOK, Body: []byte(e.data)}
				return
			}
		case <-enough.C:
			s.fatal("it was not told; instead: %s", strings.Join(heard, "; "))
		}
	}
}

// expectTells checks the next events of a stream and skips none.
func (s *story) expectTells(rest string) {
	w := words(rest, 2)
	f := s.flows[w[0]]
	if f == nil {
		s.fatal("nobody called %s follows", w[0])
	}
	enough := time.NewTimer(patience)
	defer enough.Stop()
	for _, name := range strings.Fields(w[1]) {
		select {
		case e, open := <-f.heard:
			if !open {
				s.fatal("the stream has ended before %s", name)
			}
			if e.name != name {
				s.fatal("instead of %s it said %s %s", name, e.name, e.data)
			}
		case <-enough.C:
			s.fatal("it did not say %s", name)
		}
	}
}

// followerHeader numbers the requests for streams, so that serve can tell their ends.
const followerHeader = "X-Test-Follower"

// serve answers a request, and tells when a stream has ended.
func (s *Service) serve(w http.ResponseWriter, r *http.Request) {
	if over, follows := s.following.LoadAndDelete(r.Header.Get(followerHeader)); follows {
		defer close(over.(chan struct{}))
	}
	(*s.handler.Load()).ServeHTTP(w, r)
}

// hangUp closes a stream, and returns when the service has noticed.
func (s *story) hangUp(name string) {
	f := s.flows[name]
	if f == nil {
		s.fatal("nobody called %s follows", name)
	}
	f.quit()
	select {
	case <-f.over:
	case <-time.After(patience):
		s.fatal("the service did not notice")
	}
}

func (s *story) says(e flowed, path, expected string) bool {
	got, there := find(value(e.data), path)
	return satisfies(got, there, expected)
}

func (s *story) expectStreamEnded(name string) {
	f := s.flows[name]
	if f == nil {
		s.fatal("nobody called %s follows", name)
	}
	enough := time.NewTimer(patience)
	defer enough.Stop()
	for {
		select {
		case e, open := <-f.heard:
			if !open {
				return
			}
			s.fatal("instead it said %s %s", e.name, e.data)
		case <-enough.C:
			s.fatal("the stream has not ended")
		}
	}
}

func (s *story) closeFollowers() {
	for _, f := range s.flows {
		f.quit()
	}
}
