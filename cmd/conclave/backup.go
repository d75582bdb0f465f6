package main

import (
	"context"
	"time"

	"github.com/conclave-rooms/conclave/internal/backup"
	"github.com/conclave-rooms/conclave/internal/db"
)

type backupCmd struct {
	common

	Dir     string `arg:"" type:"path" help:"Directory for the backup, which is empty or does not exist."`
	BlobURL string `name:"blob-url" help:"S3 bucket with the parts of recordings, where the service has one. They stay there." env:"CONCLAVE_BLOB_URL" placeholder:"URL"`
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
	o.line("The backup is in %s: %d files, %d bytes.", c.Dir, len(m.Files), m.Bytes())
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

	Dir string `arg:"" type:"path" help:"Directory of a backup."`
}

func (c *restoreCmd) Run(ctx context.Context, o *output) error {
	if err := c.Check(); err != nil {
		return err
	}
	m, err := backup.Restore(ctx, c.Dir, c.database(o))
	if err != nil {
		return err
	}
	if c.JSON {
		return o.json(m)
	}
	o.line("The data of %s is in %s again: %d files, %d bytes.", m.MadeAt.Format(time.DateTime+" MST"), c.Data.Data, len(m.Files), m.Bytes())
	if !m.HasKey() {
		o.line("The backup does not hold the master key: give it to the service with CONCLAVE_MASTER_KEY or as %s/master.key.", c.Data.Data)
	}
	return nil
}

// database says where the data is, for commands that do not open it.
func (c *common) database(o *output) db.Config {
	return db.Config{URL: c.DatabaseURL, Dir: c.Data.Data, Logger: o.logger("text", "warn"), Asked: nil}
}
