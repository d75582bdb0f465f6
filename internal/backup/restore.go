package backup

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/fault"
)

// Restore makes the data of a service from the backup in dir: files in the data
// directory of the database's configuration, which must be empty or missing, and
// with PostgreSQL also the tables of a database that has none. It checks every
// file of the backup before it writes anything.
func Restore(ctx context.Context, dir string, to db.Config) (Manifest, error) {
	m, err := Read(ctx, dir)
	if err != nil {
		return Manifest{}, err
	}
	if m.Database != to.Engine() {
		return Manifest{}, wrongEngine(m.Database)
	}
	if err := emptyDir(to.Dir); err != nil {
		return Manifest{}, err
	}
	if err := fill(ctx, dir, m, to); err != nil {
		// A part of a backup must not be taken for the data of a service.
		return Manifest{}, errors.Join(err, clearDir(to.Dir))
	}
	return m, nil
}

// fill copies the files, and the database last: without it, a service would
// begin anew beside the files.
func fill(ctx context.Context, dir string, m Manifest, to db.Config) error {
	database := db.CopyName(m.Database)
	var files []File
	for _, f := range m.Files {
		if f.Path == database {
			continue
		}
		if _, err := copyFile(ctx, dir, to.Dir, f.Path); err != nil {
			return err
		}
		files = append(files, f)
	}
	if err := settle(to.Dir, files); err != nil {
		return err
	}
	if m.Database == db.PostgreSQL {
		if err := db.Load(ctx, to, filepath.Join(dir, database)); err != nil {
			return fmt.Errorf("restore the database: %w", err)
		}
		return nil
	}
	if _, err := copyFile(ctx, dir, to.Dir, database); err != nil {
		return err
	}
	return settle(to.Dir, m.Files)
}

// Read checks a backup: every file that the manifest lists is there and
// unchanged.
func Read(ctx context.Context, dir string) (Manifest, error) {
	text, err := os.ReadFile(filepath.Join(dir, manifestName)) //nolint:gosec // the operator names the directory
	if errors.Is(err, fs.ErrNotExist) {
		return Manifest{}, fault.BadParameter("dir", fmt.Sprintf("%s holds no complete backup: it has no %s.", dir, manifestName))
	}
	if err != nil {
		return Manifest{}, fmt.Errorf("read the backup: %w", err)
	}
	var m Manifest
	if err := json.Unmarshal(text, &m); err != nil {
		return Manifest{}, fmt.Errorf("read %s: %w", manifestName, err)
	}
	if m.Format != format {
		return Manifest{}, fault.BadParameter("dir", fmt.Sprintf("The backup has format %d, and this program reads format %d. Use the program that made it: %s.", m.Format, format, m.Version))
	}
	if !m.Has(db.CopyName(m.Database)) {
		return Manifest{}, fault.BadParameter("dir", "The backup holds no database.")
	}
	for _, f := range m.Files {
		if !filepath.IsLocal(filepath.FromSlash(f.Path)) {
			return Manifest{}, fault.BadParameter("dir", fmt.Sprintf("%s names a file outside the backup: %q.", manifestName, f.Path))
		}
		found, err := describe(ctx, dir, f.Path)
		if err != nil {
			return Manifest{}, err
		}
		if found != f {
			return Manifest{}, fault.BadParameter("dir", f.Path+" is not what it was when the backup was made. Use another backup.")
		}
	}
	return m, nil
}

func wrongEngine(of db.Engine) error {
	if of == db.PostgreSQL {
		return fault.BadParameter("database-url", "This is a backup of PostgreSQL: name an empty database with --database-url.")
	}
	return fault.BadParameter("database-url", "This is a backup of SQLite: leave --database-url out.")
}

// clearDir empties a directory that was empty before.
func clearDir(dir string) error {
	entries, err := os.ReadDir(dir)
	for _, entry := range entries {
		err = errors.Join(err, os.RemoveAll(filepath.Join(dir, entry.Name())))
	}
	return err
}
