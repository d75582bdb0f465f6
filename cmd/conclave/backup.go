package main

import (
	"context"
	"fmt"
	"time"

	"github.com/conclave-rooms/conclave/internal/backup"
	"github.com/conclave-rooms/conclave/internal/db"
)

type backupCmd struct {
	common

	Dir     string `arg:"" type:"path" help:"Directory for the backup, which is empty or does not exist."`
	BlobURL string `name:"blob-url" help:"S3 bucket with the parts of recordings, where the service has one. They stay there." placeholder:"URL"`
}

func (c *backupCmd) Run(ctx context.Context, o *output) error {
	if err := c.Check(); err != nil {
		return err
	}
	m, err := backup.Make(ctx, backup.Source{Database: c.database(o), Recordings: c.BlobURL == "", Version: version, Now: time.Now}, c.Dir)
	if err != nil {
		return err
	}
	if c.JSON {
		return o.json(m)
	}
	o.line("The backup is in %s: %s.", c.Dir, sizeOf(m))
	if !m.HasKey() {
		o.line("It does not hold the master key, which is not in the data directory. Without that key, nobody can read the secrets in the backup: keep it elsewhere.")
	}
	if c.BlobURL != "" {
		o.line("It does not hold the recordings, which are in the S3 bucket.")
	}
	return nil
}

type restoreCmd struct {
	common

	Dir     string `arg:"" type:"path" help:"Directory of a backup."`
	SignOut bool   `name:"sign-out" help:"End every browser session in the backup, so that everybody has to sign in again."`
}

func (c *restoreCmd) Run(ctx context.Context, o *output) error {
	if err := c.Check(); err != nil {
		return err
	}
	m, err := backup.Restore(ctx, c.Dir, c.database(o))
	if err != nil {
		return err
	}
	var ended *int64
	if c.SignOut {
		if ended, err = c.signOut(ctx, o); err != nil {
			return fmt.Errorf("the data is restored, but nobody was signed out: %w. Put this right, empty the data directory (and the PostgreSQL database), and restore again", err)
		}
	}
	if c.JSON {
		return o.json(struct {
			backup.Manifest
			Ended *int64 `json:"sessions_ended,omitempty"` // only with --sign-out
		}{m, ended})
	}
	place := c.Data.Data
	if m.Database == db.PostgreSQL {
		place = "the database and " + place
	}
	o.line("The data of %s is in %s again: %s.", m.MadeAt.Format(time.DateTime+" MST"), place, sizeOf(m))
	if ended != nil {
		o.line("Everybody has to sign in again. Browser sessions that were ended: %d.", *ended)
	}
	if !m.HasKey() {
		o.line("The backup does not hold the master key: give it to the service with CONCLAVE_MASTER_KEY or as %s/master.key.", c.Data.Data)
	}
	return nil
}

// sizeOf says how much a backup holds.
func sizeOf(m backup.Manifest) string {
	if len(m.Files) == 1 {
		return fmt.Sprintf("1 file, %d bytes", m.Bytes())
	}
	return fmt.Sprintf("%d files, %d bytes", len(m.Files), m.Bytes())
}

// signOut ends every session in the restored data, before a service runs on it.
func (c *restoreCmd) signOut(ctx context.Context, o *output) (*int64, error) {
	var ended int64
	err := c.with(ctx, o, func(d *desk) (err error) {
		ended, err = d.identity.SignEverybodyOut(ctx)
		return err
	})
	return &ended, err
}

// database says where the data is, for commands that do not open it.
func (c *common) database(o *output) db.Config {
	return db.Config{URL: c.DatabaseURL, Dir: c.Data.Data, Logger: o.logger("text", "warn"), Asked: nil}
}
