package main

import (
	"context"
	"errors"
	"time"

	"github.com/conclave-rooms/conclave/internal/config"
	"github.com/conclave-rooms/conclave/internal/doctor"
)

// doctorCmd examines a service. It takes the settings of serve, so it looks at the
// same things as the service that has them.
type doctorCmd struct {
	config.Serve

	Key  string `help:"API key (rooms:write and tokens:create) with which a call between two people is tried." env:"CONCLAVE_API_KEY" placeholder:"KEY"`
	JSON bool   `name:"json" help:"Print JSON."`
}

func (c *doctorCmd) Run(ctx context.Context, o *output) error {
	tell := func(f doctor.Finding) {
		if c.JSON {
			return
		}
		o.line("%-8s %-26s %s", f.Verdict, f.Check, f.Found)
		if f.Advice != "" {
			o.line("%-8s %-26s %s", "", "", f.Advice)
		}
	}
	all := doctor.Examine(ctx, doctor.Options{Config: c.Serve, Key: c.Key, Now: time.Now}, tell)
	if c.JSON {
		if err := o.json(all); err != nil {
			return err
		}
	}
	if !doctor.Healthy(all) {
		return errors.New("something failed: see the advice above")
	}
	return nil
}
