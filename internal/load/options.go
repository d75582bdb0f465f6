package load

import (
	"errors"
	"fmt"
	"math"
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

// Limits are what a run may not exceed. Zero, or nil where zero is a limit, means none.
type Limits struct {
	JoinP95       time.Duration
	FirstFrameP95 time.Duration
	Loss          *float64 // percent of all packets
	CPU           float64  // thousandths of a core for each person, while the meetings go on
	Memory        float64  // kilobytes that come in addition for each person
	Failures      *int
}

// mostASecond is the highest rate: more than one process can do, and far below what a
// timer can.
const mostASecond = 1000

// check refuses options that make no load.
func (o *Options) check() error {
	switch {
	case o.Rooms < 1 || o.People < 1:
		return errors.New("a load needs at least one room and one person in each")
	case o.Microphones < 0 || o.Microphones > o.People || o.Cameras < 0 || o.Cameras > o.People:
		return errors.New("microphones and cameras are at least 0, and at most as many as there are people in a room")
	case !within(o.JoinRate, mostASecond):
		return fmt.Errorf("people join at a rate from 0 (all at once) to %d a second, not %v", mostASecond, o.JoinRate)
	case !within(o.Churn, 60*mostASecond) || !within(o.Knocks, 60*mostASecond):
		return fmt.Errorf("churn and knocks have rates from 0 (none) to %d a minute, not %v and %v", 60*mostASecond, o.Churn, o.Knocks)
	case o.Hold < 0 || o.Breakouts < 0 || o.Breakouts > 50:
		return errors.New("times cannot be negative, and a room has at most 50 breakout rooms")
	case o.Bare != nil && (o.Knocks > 0 || o.Breakouts > 0 || o.Polls || o.Webhooks != ""):
		return errors.New("a media server alone has no knocking, breakout rooms, polls and webhooks")
	case o.Churn > 0 && o.People < 2:
		return errors.New("hosts stay, so a churn needs at least two people in a room")
	}
	return o.checkLimits()
}

// checkLimits refuses limits that every run would exceed, or that none could.
func (o *Options) checkLimits() error {
	l := o.Limits
	switch {
	case l.JoinP95 < 0 || l.FirstFrameP95 < 0 || l.Failures != nil && *l.Failures < 0 || l.Loss != nil && !within(*l.Loss, 100):
		return errors.New("limits cannot be negative, and a loss is at most 100 percent")
	case !within(l.CPU, math.MaxFloat64) || !within(l.Memory, math.MaxFloat64):
		return errors.New("limits of what a person costs are numbers that are not negative")
	case (l.CPU > 0 || l.Memory > 0) && o.Metrics == "":
		return errors.New("without the metrics of the service, what a person costs is not known")
	case o.Churn > 0: // nobody knows how many people join
	case l.JoinP95 > 0 && o.Rooms*o.People < fewest:
		return fmt.Errorf("the 95th percentile of fewer than %d joins is the slowest: let more people join", fewest)
	case l.FirstFrameP95 > 0 && o.Rooms*(o.People-1) < fewest:
		return fmt.Errorf("the 95th percentile of fewer than %d first frames is the slowest, and the first person of a room sees nobody: let more people join", fewest)
	}
	return nil
}

// within says whether a number is at least 0 and at most that large. NaN is not.
func within(n, most float64) bool { return n >= 0 && n <= most }

// interval is the time between two events of which rate happen in each unit of
// time. It is a year at most, because timers cannot wait for ever.
func interval(unit time.Duration, rate float64) time.Duration {
	const longest = 365 * 24 * time.Hour
	return time.Duration(min(float64(unit)/rate, float64(longest)))
}
