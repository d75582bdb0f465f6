package main

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/conclave-rooms/conclave/api"
	client "github.com/conclave-rooms/conclave/client/recording"
	"github.com/conclave-rooms/conclave/internal/auth"
	"github.com/conclave-rooms/conclave/internal/disk"
	"github.com/conclave-rooms/conclave/internal/fault"
	"github.com/conclave-rooms/conclave/internal/recording"
	"github.com/conclave-rooms/conclave/internal/rest"
	"github.com/conclave-rooms/conclave/internal/server"
)

type recordingsCmd struct {
	List     recordingsList     `cmd:"" help:"List a workspace's recordings, newest first."`
	Download recordingsDownload `cmd:"" help:"Decrypt a recording and write it to a file."`
}

type recordingsList struct {
	common

	Workspace     string `required:"" help:"Id of the workspace." placeholder:"ID"`
	Room          string `help:"Only recordings of this room." placeholder:"ID"`
	Limit         int    `default:"50" help:"How many recordings at most, 1 to 100."`
	StartingAfter string `help:"Id of a recording: only recordings begun before it." placeholder:"ID"`
}

func (c *recordingsList) Run(ctx context.Context, o *output) error {
	if c.Limit < 1 || c.Limit > 100 {
		return fault.BadParameter("limit", "--limit must be 1 to 100.")
	}
	return c.with(ctx, o, func(d *desk) error {
		p, err := d.owner(ctx, c.Workspace)
		if err != nil {
			return err
		}
		found, more, err := d.recordings.List(ctx, p, c.Room, c.Limit, c.StartingAfter)
		if err != nil {
			return aboutFlag("starting-after", err)
		}
		if c.JSON {
			return o.json(rest.ListOf(found, more, recording.Recording.Object))
		}
		rows := make([][]string, len(found))
		for i, r := range found {
			rows[i] = []string{r.ID, r.StartedAt.UTC().Format(time.DateTime), r.Duration.Round(time.Second).String(), r.Status, r.Protection, r.Title}
		}
		o.table([]string{"ID", "BEGAN (UTC)", "LENGTH", "STATUS", "PROTECTION", "TITLE"}, rows)
		return nil
	})
}

type recordingsDownload struct {
	common

	ID      string `arg:"" help:"Id of the recording, as conclave recordings list shows it."`
	Output  string `short:"o" required:"" type:"path" help:"The file to write. It appears there once it is complete." placeholder:"FILE"`
	BlobURL string `name:"blob-url" help:"S3 bucket with the parts, where the service has one." placeholder:"URL"`
}

func (c *recordingsDownload) Run(ctx context.Context, o *output) error {
	return c.with(ctx, o, func(d *desk) error {
		sealer, err := server.OpenSealer(ctx, d.db, c.Data)
		if err != nil {
			return err
		}
		blobs, err := server.OpenRecordingParts(ctx, c.Data, c.BlobURL)
		if err != nil {
			return err
		}
		defer func() { _ = blobs.Close() }()
		d.recordings.Sealer, d.recordings.Blobs = sealer, blobs
		file, err := openRecording(ctx, d.recordings, c.ID)
		if err != nil {
			return err
		}
		file.progress = o.err
		written, err := writeWhole(c.Output, file)
		if err != nil {
			return err
		}
		if c.JSON {
			return o.json(map[string]any{"object": "recording", "id": c.ID, "mime_type": file.mimeType, "file": c.Output, "bytes": written})
		}
		o.line("The recording is in %s: %d bytes, %s.", c.Output, written, file.mimeType)
		return nil
	})
}

// recordingFile reads the decrypted file of a recording, part by part.
type recordingFile struct {
	ctx      context.Context //nolint:containedctx // io.Reader has no parameter for it
	service  *recording.Service
	caller   auth.Principal
	id       string
	key      []byte
	mimeType string
	parts    int
	progress io.Writer

	next int
	rest []byte
}

func openRecording(ctx context.Context, s *recording.Service, id string) (*recordingFile, error) {
	workspace, err := s.WorkspaceOf(ctx, id)
	if fault.HasCode(err, api.CodeNotFound) {
		return nil, fault.MissingParam("id", "There is no recording with this id; `conclave recordings list` lists them.")
	}
	if err != nil {
		return nil, err
	}
	caller := auth.Principal{WorkspaceID: workspace, ManagesAll: true}
	d, err := s.Download(ctx, caller, id)
	if err != nil {
		return nil, err
	}
	key, err := base64.RawURLEncoding.DecodeString(d.Encryption.Key)
	if err != nil {
		return nil, fmt.Errorf("read the key of the recording: %w", err)
	}
	return &recordingFile{ctx: ctx, service: s, caller: caller, id: id, key: key, mimeType: d.MIMEType, parts: len(d.Parts)}, nil
}

// Read reads from the file. Every part is verified before any of its bytes are
// returned.
func (f *recordingFile) Read(p []byte) (int, error) {
	for len(f.rest) == 0 {
		if f.next == f.parts {
			return 0, io.EOF
		}
		plain, err := f.part(f.next)
		if err != nil {
			return 0, err
		}
		f.rest = plain
		f.next++
		if tenth := f.next * 10 / f.parts; tenth > (f.next-1)*10/f.parts {
			_, _ = fmt.Fprintf(f.progress, "%d of %d parts, %d %%\n", f.next, f.parts, tenth*10)
		}
	}
	n := copy(p, f.rest)
	f.rest = f.rest[n:]
	return n, nil
}

func (f *recordingFile) part(n int) ([]byte, error) {
	content, _, err := f.service.OpenPart(f.ctx, f.caller, f.id, strconv.Itoa(n), func(recording.Recording) error { return nil })
	if fault.HasCode(err, api.CodeNotFound) {
		return nil, fmt.Errorf("part %d of the recording is missing from the store", n)
	}
	if err != nil {
		return nil, fmt.Errorf("open part %d: %w", n, err)
	}
	defer func() { _ = content.Close() }()
	sealed, err := io.ReadAll(content)
	if err != nil {
		return nil, fmt.Errorf("read part %d: %w", n, err)
	}
	plain, err := client.DecryptPart(f.key, f.id, n, sealed)
	if errors.Is(err, client.ErrDamaged) {
		return nil, fmt.Errorf("part %d of the recording is damaged: what is stored is not what was recorded", n)
	}
	return plain, err
}

// writeWhole writes a file completely or not at all: the file has another name
// until it is on the disk, and its name is on the disk in the end.
func writeWhole(path string, content io.Reader) (written int64, err error) {
	file, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*")
	if err != nil {
		return 0, fmt.Errorf("make the file: %w", err)
	}
	defer func() {
		if err != nil {
			_ = file.Close()
			_ = os.Remove(file.Name())
		}
	}()
	if written, err = io.Copy(file, content); err != nil {
		return 0, err //nolint:wrapcheck // the error names the part or the file
	}
	if err = errors.Join(file.Sync(), file.Close()); err != nil {
		return 0, fmt.Errorf("write the file: %w", err)
	}
	if err = errors.Join(os.Rename(file.Name(), path), disk.Sync(filepath.Dir(path))); err != nil {
		return 0, fmt.Errorf("give the file its name: %w", err)
	}
	return written, nil
}
