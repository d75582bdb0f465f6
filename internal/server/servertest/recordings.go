package servertest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
)

// RecordingKey is the key of recordings in tests: the bytes from 0 to 31.
const RecordingKey = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8"

// beginWithKey begins a recording with RecordingKey.
const beginWithKey = `{"mime_type": "video/mp4", "key": "` + RecordingKey + `"}`

// Upload is what a recording device needs.
type Upload struct {
	ID     string `json:"id"`
	Secret string `json:"upload_secret"`
	Ticket string `json:"-"` // of the seat of its host
}

// Part is the request that sends a part.
func (u Upload) Part(number int, body string) Request {
	return Bytes(http.MethodPut, fmt.Sprintf("/meet/v1/recordings/%s/parts/%d?ends_ms=%d", u.ID, number, number*1000+1000), u.Secret, body)
}

// Recorded lets a host record a meeting alone, in one part, and end it. They
// join with the room's own link; header and join are those of that request. It
// returns the id of the recording.
func (s *Service) Recorded(header http.Header, join string) string {
	s.t.Helper()
	var seat struct{ Token, Ticket string }
	s.must(Request{Method: http.MethodPost, Path: "/meet/v1/join", Header: header, Body: join}, &seat)
	return s.finished(s.recordOn(seat.Token, seat.Ticket, beginWithKey))
}

// RecordedBy does the same with a media token made by an API key.
func (s *Service) RecordedBy(key, roomID string) string {
	s.t.Helper()
	return s.finished(s.Record(key, roomID))
}

// Record connects a host with a media token, who begins a recording.
func (s *Service) Record(key, roomID string) Upload {
	s.t.Helper()
	return s.record(key, roomID, beginWithKey)
}

// RecordEndToEnd is Record in a room whose recordings only members' devices can
// open.
func (s *Service) RecordEndToEnd(key, roomID string) Upload {
	s.t.Helper()
	return s.record(key, roomID, `{"mime_type": "video/mp4"}`)
}

func (s *Service) record(key, roomID, begin string) Upload {
	s.t.Helper()
	var token struct{ Token string }
	s.must(Request{Method: http.MethodPost, Path: "/api/v1/rooms/" + roomID + "/tokens", Bearer: key, Body: `{"name": "Grace", "role": "host"}`}, &token)
	var seat struct{ Ticket string }
	s.must(Request{Method: http.MethodPost, Path: "/meet/v1/tickets", Body: `{"token": "` + token.Token + `"}`}, &seat)
	return s.recordOn(token.Token, seat.Ticket, begin)
}

// recordOn connects a host, who begins a recording with this body.
func (s *Service) recordOn(token, ticket, begin string) Upload {
	s.t.Helper()
	upstream, _, err := s.Joins.LetThrough(s.t.Context(), token)
	if err == nil {
		_, err = s.Media.Connect(upstream)
	}
	if err != nil {
		s.t.Fatalf("connect the host who records: %v", err)
	}
	s.Settle()
	u := Upload{Ticket: ticket}
	s.must(Request{Method: http.MethodPost, Path: "/meet/v1/recordings", Bearer: ticket, Body: begin}, &u)
	return u
}

// finished sends one part, and ends the recording and the meeting.
func (s *Service) finished(u Upload) string {
	s.t.Helper()
	s.must(u.Part(0, strings.Repeat("x", 100)), nil)
	s.must(Request{Method: http.MethodPost, Path: "/meet/v1/recordings/" + u.ID + "/finish", Bearer: u.Secret, Body: `{"parts": 1}`}, nil)
	s.must(Request{Method: http.MethodPost, Path: "/meet/v1/end", Bearer: u.Ticket}, nil)
	s.Settle()
	return u.ID
}

// must sends a request that must succeed, and decodes the answer unless out is
// nil.
func (s *Service) must(r Request, out any) {
	s.t.Helper()
	a := s.Send(r)
	if a.Status/100 != 2 {
		s.t.Fatalf("%s %s: %d %s", r.Method, r.Path, a.Status, a.Body)
	}
	if out == nil {
		return
	}
	if err := json.Unmarshal(a.Body, out); err != nil {
		s.t.Fatalf("%s %s: %v", r.Method, r.Path, err)
	}
}
