package server

import (
	"net/http"
	"time"
)

// patientStreams bounds writes to streams of HTTP/2 in the way that patient
// bounds those to connections. A client of HTTP/2 can stop reading one stream and
// go on with others. Then the service writes nothing to the connection, whose
// deadlines are of no help.
func patientStreams(h http.Handler, patience time.Duration) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.ProtoMajor < 2 {
			h.ServeHTTP(w, r)
			return
		}
		p := &patientStream{ResponseWriter: w, stream: http.NewResponseController(w), patience: patience}
		h.ServeHTTP(p, r)
		p.begin() // what is still in the buffer is sent next, and ends the stream
	})
}

type patientStream struct {
	http.ResponseWriter

	stream   *http.ResponseController
	patience time.Duration
}

// Unwrap lets http.ResponseController do everything else.
func (p *patientStream) Unwrap() http.ResponseWriter { return p.ResponseWriter }

// begin gives the next write a deadline, and end takes it back: a stream is reset
// when its deadline passes, also if nothing is being written to it. Errors are left
// to the write.
func (p *patientStream) begin() { _ = p.stream.SetWriteDeadline(time.Now().Add(p.patience)) }
func (p *patientStream) end()   { _ = p.stream.SetWriteDeadline(time.Time{}) }

// Write sends one piece after the other, each with its own deadline.
func (p *patientStream) Write(b []byte) (sent int, err error) {
	for {
		piece := b[sent:min(sent+pieceSize, len(b))]
		p.begin()
		n, err := p.ResponseWriter.Write(piece)
		p.end()
		sent += n
		if err != nil || sent == len(b) {
			return sent, err //nolint:wrapcheck // a stream's own error
		}
	}
}

// FlushError sends what is in the buffer.
func (p *patientStream) FlushError() error {
	p.begin()
	defer p.end()
	return p.stream.Flush() //nolint:wrapcheck // a stream's own error
}
