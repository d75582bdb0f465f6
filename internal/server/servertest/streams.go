package servertest

import (
	"bufio"
	"net/http"
	"strings"
	"time"

	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/seat"
	"github.com/conclave-rooms/conclave/internal/stream"
)

// patience is how long a test waits for a stream. A test that passes never
// waits that long.
const patience = 20 * time.Second

// follower follows a meeting by its stream of events.
type follower struct {
	heard chan flowed // closed when the stream has ended
	quit  func()

	ticket string
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
	header := http.Header{}
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
	f := &follower{ticket: ticket, heard: make(chan flowed, 256), quit: func() { _ = res.Body.Close() }}
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

// hangUp closes a stream, and returns when the service has noticed.
func (s *story) hangUp(name string) {
	f := s.flows[name]
	if f == nil {
		s.fatal("nobody called %s follows", name)
	}
	held := func() (held seat.Seat) {
		err := s.DB().Read(s.t.Context(), func(tx *db.Tx) (err error) {
			held, _, err = seat.AnyByTicket(s.t.Context(), tx, f.ticket)
			return err
		})
		if err != nil {
			s.fatal("%v", err)
		}
		return held
	}
	if !held().AwayAt.IsZero() {
		s.fatal("the service does not know yet that %s follows; wait for something they are told", name)
	}
	wake, cancel := s.Hub.Subscribe(stream.Topic(held().RoomID))
	defer cancel()
	f.quit()
	enough := time.NewTimer(patience)
	defer enough.Stop()
	for held().AwayAt.IsZero() {
		select {
		case <-wake:
		case <-enough.C:
			s.fatal("the service did not notice")
		}
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
