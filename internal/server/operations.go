package server

import (
	"log/slog"
	"time"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/breakout"
	"github.com/conclave-rooms/conclave/internal/event"
	"github.com/conclave-rooms/conclave/internal/fault"
	"github.com/conclave-rooms/conclave/internal/group"
	"github.com/conclave-rooms/conclave/internal/identity"
	"github.com/conclave-rooms/conclave/internal/join"
	"github.com/conclave-rooms/conclave/internal/live"
	"github.com/conclave-rooms/conclave/internal/poll"
	"github.com/conclave-rooms/conclave/internal/recording"
	"github.com/conclave-rooms/conclave/internal/rest"
	"github.com/conclave-rooms/conclave/internal/room"
	"github.com/conclave-rooms/conclave/internal/schedule"
	"github.com/conclave-rooms/conclave/internal/schedule/feed"
	"github.com/conclave-rooms/conclave/internal/schedule/mirror"
	"github.com/conclave-rooms/conclave/internal/stream"
	"github.com/conclave-rooms/conclave/internal/webhook"
)

// mount opens the three groups of paths and lets every feature register its operations.
func (s *Server) mount() {
	s.API = s.edge.Group("/api/v1", s.Identity.Authenticator, rest.OrSessions(s.Identity.OnAPI()), rest.Titled("Conclave API", apiIntroduction))
	s.Identity.Mount(s.API)
	s.Rooms.Mount(s.API)
	s.Joins.Mount(s.API)
	s.Joins.MountWaiting(s.API)
	s.Live.Mount(s.API)
	s.Live.MountControl(s.API)
	s.Breakouts.Mount(s.API)
	s.Polls.Mount(s.API)
	s.Recordings.Mount(s.API)
	s.Schedule.Mount(s.API)
	s.Webhooks.Mount(s.API)
	s.PastEvents.Mount(s.API)
	s.Meet = s.edge.Group("/meet/v1", s.Live.MeetAuthenticator, rest.AnyOrigin(), // tickets travel in a header, never in a cookie
		rest.Tickets(fault.New(fault.Unauthenticated, api.CodeTicketInvalid, "Send your ticket in the header: Authorization: Bearer <ticket>.")),
		rest.Titled("Conclave meeting protocol", "Requests of people's devices to the service. docs/reference/meeting-protocol.md describes them completely."))
	s.Account = s.edge.Group("/account/v1", s.Identity.SessionAuthenticator, rest.Cookies(identity.SessionCookie(s.config.PublicURL), identity.SessionMissing()),
		rest.Titled("Conclave accounts", "Requests of this service's pages about the person who is signed in. docs/reference/sign-in.md describes them completely."))
	s.Identity.MountAccount(s.Account)
	s.Calendars.MountAccount(s.Account)
	s.Feeds.MountAccount(s.Account)
	s.Recordings.MountAccount(s.Account)
	s.Joins.MountMeet(s.Meet)
	s.Joins.MountMeetWaiting(s.Meet)
	s.Probes.MountMeet(s.Meet)
	s.Live.MountMeet(s.Meet)
	s.Stream.MountMeet(s.Meet)
	s.Live.MountMeetControl(s.Meet)
	s.Breakouts.MountMeet(s.Meet)
	s.Polls.MountMeet(s.Meet)
	s.Recordings.MountMeet(s.Meet)
	s.Groups.MountMeet(s.Meet)
}

const apiIntroduction = "Rooms, the people in them and the ways in, for your servers. Every request carries an API key: " +
	"`Authorization: Bearer svc_live_...`. Keys belong to a workspace, carry scopes, and must never reach a browser: give people join links or media tokens. " +
	"The service's own pages use the same API with the session of the member who is signed in."

// Document is the OpenAPI document of the API, without a running service.
func Document(publicURL, version string) ([]byte, error) {
	return described(publicURL, version).API.Document()
}

// MeetDocument is the OpenAPI document of the meeting protocol, without a running
// service.
func MeetDocument(publicURL, version string) ([]byte, error) {
	return described(publicURL, version).Meet.Document()
}

// AccountDocument is the OpenAPI document of people's accounts, without a running
// service.
func AccountDocument(publicURL, version string) ([]byte, error) {
	return described(publicURL, version).Account.Document()
}

// described is a server that has all operations and runs none.
func described(publicURL, version string) *Server {
	s := &Server{
		Identity: &identity.Service{PublicURL: publicURL}, //nolint:exhaustruct_v5 // never called; the document contains the name of its cookie
		Rooms:    new(room.Service), Joins: new(join.Service), Live: new(live.Service), Stream: new(stream.Service), Breakouts: new(breakout.Service), Polls: new(poll.Service),
		Recordings: new(recording.Service), Groups: new(group.Service), Schedule: new(schedule.Service), Calendars: new(mirror.Service), Feeds: new(feed.Service), Webhooks: new(webhook.Service), PastEvents: new(event.Service),
	}
	s.edge = rest.New(rest.Config{Logger: slog.New(slog.DiscardHandler), Now: time.Now, PublicURL: publicURL, Version: version, Limits: rest.DefaultLimits()}) //nolint:forbidigo // nothing is timed
	s.mount()
	return s
}
