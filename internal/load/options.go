package load

import (
	"errors"
	"time"
)

// Options say what the load is.
type Options struct {
	// Service is the address of the service, http:// or https://. All requests go
	// there, even if the public address of the service is another one.
	Service string
	Key     string // an API key with the scopes that the load needs

	// Bare is a media server without a service. When it is set, it gets the load, and
	// people only join and leave.
	Bare *Bare

	Rooms       int
	People      int           // in each room
	Microphones int           // how many people of a room send one
	Cameras     int           // how many people of a room send one
	JoinRate    float64       // people who join a second, in all rooms together; 0: all at once
	Hold        time.Duration // how long the meetings go on once everybody is in

	Churn     float64 // people who leave and are replaced, a minute
	Knocks    float64 // visitors who knock and are let in, a minute
	Breakouts int     // how many breakout rooms each meeting is split into, again and again; 0: none
	Polls     bool    // polls in each room, one after the other; everybody votes
	Webhooks  string  // host:port at which this process receives webhooks; "": none
	Metrics   string  // the address of the service's metrics

	Limits Limits
	// Say reports the progress of the run.
	Say func(format string, args ...any)
}

// Bare is a LiveKit server and what its tokens are signed with.
type Bare struct{ URL, Key, Secret string }

// Limits are what a run may not exceed. Zero means no limit.
type Limits struct {
	JoinP95       time.Duration
	FirstFrameP95 time.Duration
	Loss          float64 // percent of all packets
	Failures      *int
}

// check refuses options that make no load.
func (o *Options) check() error {
	switch {
	case o.Rooms < 1 || o.People < 1:
		return errors.New("a load needs at least one room and one person in each")
	case o.Microphones < 0 || o.Microphones > o.People || o.Cameras < 0 || o.Cameras > o.People:
		return errors.New("microphones and cameras are at least 0, and at most as many as there are people in a room")
	case o.Hold < 0 || o.JoinRate < 0 || o.Churn < 0 || o.Knocks < 0 || o.Breakouts < 0 || o.Breakouts > 50:
		return errors.New("times and rates cannot be negative, and a room has at most 50 breakout rooms")
	case o.Bare != nil && (o.Knocks > 0 || o.Breakouts > 0 || o.Polls || o.Webhooks != ""):
		return errors.New("a media server alone has no knocking, breakout rooms, polls and webhooks")
	case o.Churn > 0 && o.People < 2:
		return errors.New("hosts stay, so a churn needs at least two people in a room")
	}
	return nil
}
