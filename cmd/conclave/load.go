package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/conclave-rooms/conclave/internal/load"
)

// loadCmd puts a running service under load. It needs nothing but an address and a
// key, so it can run on another machine.
type loadCmd struct {
	URL string `help:"Address of the service, or of one of its nodes; people connect there, too." default:"http://localhost:8080" env:"CONCLAVE_PUBLIC_URL" placeholder:"URL"`
	Key string `help:"API key with the scopes rooms:write and tokens:create, and those of the activities." env:"CONCLAVE_API_KEY" placeholder:"KEY"`

	Bare       string `help:"Put the load on a LiveKit server alone, at this address, to compare it with a service." placeholder:"URL"`
	BareKey    string `help:"API key of that LiveKit server." placeholder:"KEY" default:"devkey"`
	BareSecret string `help:"API secret of that LiveKit server." placeholder:"SECRET" default:"secret"`

	Rooms       int           `help:"How many rooms." default:"1"`
	People      int           `help:"How many people in each room." default:"3"`
	Microphones int           `help:"How many people of a room send a microphone; -1: all." default:"-1"`
	Cameras     int           `help:"How many people of a room send a camera; -1: all." default:"-1"`
	JoinRate    float64       `help:"How many people join a second, in all rooms together, at most 1000; 0: all at once." default:"10"`
	Hold        time.Duration `help:"How long the meetings go on once everybody is in." default:"30s"`

	Churn     float64 `help:"How many people leave and are replaced, a minute." default:"0"`
	Knocks    float64 `help:"How many visitors knock and are let in, a minute." default:"0"`
	Breakouts int     `help:"How many breakout rooms each meeting is split into, again and again; 0: none." default:"0"`
	Polls     bool    `help:"Ask polls in which everybody votes, one after the other."`
	Webhooks  string  `help:"Receive webhooks at this address, which the service must reach and be allowed to use (--webhooks-allow-private)." placeholder:"HOST:PORT"`
	Metrics   string  `help:"Address of the service's metrics, from which it reads what the service uses. Default: /metrics at --url." placeholder:"URL"`

	MaxJoinP95       time.Duration `name:"max-join-p95" help:"Fail if the slowest 5 in 100 people took longer to join." placeholder:"DURATION"`
	MaxFirstFrameP95 time.Duration `name:"max-first-frame-p95" help:"Fail if the slowest 5 in 100 people waited longer for the first frame that they could decrypt." placeholder:"DURATION"`
	MaxLoss          *float64      `help:"Fail if more percent of the packets were lost." placeholder:"PERCENT"`
	MaxCPU           float64       `name:"max-cpu" help:"Fail if each person cost the service more thousandths of a processor core while the meetings went on." placeholder:"MILLICORES"`
	MaxMemory        float64       `help:"Fail if each person cost the service more kilobytes of memory." placeholder:"KB"`
	MaxFailures      *int          `help:"Fail if more steps failed." placeholder:"NUMBER"`

	JSON bool `name:"json" help:"Print JSON."`
}

func (c *loadCmd) Run(ctx context.Context, o *output) error {
	service := strings.TrimSuffix(c.URL, "/")
	var bare *load.Bare
	switch {
	case c.Bare != "":
		bare = &load.Bare{URL: c.Bare, Key: c.BareKey, Secret: c.BareSecret}
	case c.Key == "":
		return errors.New("give --key (or CONCLAVE_API_KEY), an API key of the service")
	}
	if c.Metrics == "" && bare == nil {
		c.Metrics = service + "/metrics"
	}
	report, err := load.Run(ctx, load.Options{
		Service: service, Key: c.Key, Bare: bare,
		Rooms: c.Rooms, People: c.People, Microphones: orAll(c.Microphones, c.People), Cameras: orAll(c.Cameras, c.People), JoinRate: c.JoinRate, Hold: c.Hold,
		Churn: c.Churn, Knocks: c.Knocks, Breakouts: c.Breakouts, Polls: c.Polls, Webhooks: c.Webhooks, Metrics: c.Metrics,
		Limits: load.Limits{JoinP95: c.MaxJoinP95, FirstFrameP95: c.MaxFirstFrameP95, Loss: c.MaxLoss, CPU: c.MaxCPU, Memory: c.MaxMemory, Failures: c.MaxFailures},
		Say:    func(format string, args ...any) { _, _ = fmt.Fprintf(o.err, format+"\n", args...) },
	})
	if err != nil {
		return err
	}
	if c.JSON {
		err = o.json(report)
	} else {
		err = report.Print(o.out)
	}
	switch {
	case err != nil:
		return err
	case len(report.Exceeded) > 0:
		return errors.New("the run exceeded its limits: " + strings.Join(report.Exceeded, "; "))
	case report.Interrupted:
		return ctx.Err()
	}
	return nil
}

// orAll reads a number of people, in which -1 means all of them.
func orAll(n, all int) int {
	if n == -1 {
		return all
	}
	return n
}
