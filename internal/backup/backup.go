package backup

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/disk"
	"github.com/conclave-rooms/conclave/internal/fault"
)

// The names in a backup. A data directory has the same names, except for the
// manifest and the dump of PostgreSQL.
const (
	manifestName   = "backup.json"
	keyName        = "master.key"
	recordingsName = "recordings"
)

// format is the version of this layout. Restore refuses any other.
const format = 1

// Source says what to copy.
type Source struct {
	Database db.Config // its Dir is the data directory
	// Recordings says that parts of recordings are files of the data directory.
	Recordings bool
	Version    string // of this program
	Now        func() time.Time
}

// Manifest says what a backup holds.
type Manifest struct {
	Format   int       `json:"format"`
	Version  string    `json:"version"` // of the program that made it
	MadeAt   time.Time `json:"made_at"`
	Database db.Engine `json:"database"`
	Files    []File    `json:"files"`
}

// File is one file of a backup.
type File struct {
	Path   string `json:"path"` // below the backup, with slashes
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"`
}

// Bytes is the size of all files.
func (m Manifest) Bytes() int64 {
	var n int64
	for _, f := range m.Files {
		n += f.Bytes
	}
	return n
}

// Has says whether the backup holds a file.
func (m Manifest) Has(path string) bool {
	for _, f := range m.Files {
		if f.Path == path {
			return true
		}
	}
	return false
}

// HasKey says whether the backup holds the master key.
func (m Manifest) HasKey() bool { return m.Has(keyName) }

// Make writes a backup into dir, which must be empty or missing.
func Make(ctx context.Context, from Source, dir string) (Manifest, error) {
	if err := emptyDir(dir); err != nil {
		return Manifest{}, err
	}
	m := Manifest{Format: format, Version: from.Version, MadeAt: from.Now().UTC(), Database: from.Database.Engine(), Files: nil}
	name, err := db.Copy(ctx, from.Database, dir)
	if err != nil {
		return Manifest{}, fmt.Errorf("copy the database: %w", err)
	}
	database, err := describe(ctx, dir, name)
	if err != nil {
		return Manifest{}, err
	}
	m.Files = append(m.Files, database)
	rest, err := copyFiles(ctx, from, dir)
	if err != nil {
		return Manifest{}, err
	}
	m.Files = append(m.Files, rest...)
	return m, writeManifest(dir, m)
}

// copyFiles copies the key and the parts of recordings.
func copyFiles(ctx context.Context, from Source, dir string) ([]File, error) {
	data := from.Database.Dir
	var files []File
	add := func(path string) error {
		f, err := copyFile(ctx, data, dir, path)
		if errors.Is(err, fs.ErrNotExist) {
			return nil // there is none, or the service has just deleted it
		}
		if err == nil {
			files = append(files, f)
		}
		return err
	}
	if err := add(keyName); err != nil {
		return nil, err
	}
	if !from.Recordings {
		return files, nil
	}
	root, err := recordingsOf(data)
	if err != nil || root == "" {
		return files, err
	}
	err = filepath.WalkDir(root, func(name string, entry fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		path, err := filepath.Rel(root, name)
		if err != nil {
			return err
		}
		return add(recordingsName + "/" + filepath.ToSlash(path))
	})
	if err != nil {
		return nil, fmt.Errorf("copy the recordings: %w", err)
	}
	return files, nil
}

// recordingsOf finds the directory of the parts of recordings, which may be a link to
// another disk; "" if nothing was recorded yet.
func recordingsOf(data string) (string, error) {
	dir := filepath.Join(data, recordingsName)
	if _, err := os.Lstat(dir); errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	root, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return "", fmt.Errorf("find the recordings: %w", err)
	}
	return root, nil
}

// emptyDir makes a directory for this user only, or refuses one that holds
// something.
func emptyDir(dir string) error {
	entries, err := os.ReadDir(dir)
	if err == nil && len(entries) > 0 {
		return fault.BadParameter("dir", dir+" is not empty. Name a directory that is empty or does not exist.")
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("read the directory: %w", err)
	}
	if err := disk.MakeDir(dir); err != nil {
		return fmt.Errorf("make the directory: %w", err)
	}
	if err := os.Chmod(dir, 0o700); err != nil { //nolint:gosec // a directory must be entered
		return fmt.Errorf("close the directory to other users: %w", err)
	}
	return nil
}

// copyFile copies one file to the same path below another directory, and syncs
// it to the disk.
func copyFile(ctx context.Context, from, to, path string) (File, error) {
	source, err := os.Open(filepath.Join(from, filepath.FromSlash(path))) //nolint:gosec // the operator names the directory
	if err != nil {
		return File{}, fmt.Errorf("copy %s: %w", path, err)
	}
	defer func() { _ = source.Close() }()
	target := filepath.Join(to, filepath.FromSlash(path))
	if err := os.MkdirAll(filepath.Dir(target), 0o700); err != nil { //nolint:forbidigo // settle syncs all directories
		return File{}, fmt.Errorf("copy %s: %w", path, err)
	}
	w, err := os.OpenFile(target, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600) //nolint:gosec // the operator names the directory
	if err != nil {
		return File{}, fmt.Errorf("copy %s: %w", path, err)
	}
	f, err := digest(ctx, io.TeeReader(source, w), path)
	if err == nil {
		err = w.Sync()
	}
	if err := errors.Join(err, w.Close()); err != nil {
		return File{}, fmt.Errorf("copy %s: %w", path, err)
	}
	return f, nil
}

// describe reads a file of a backup.
func describe(ctx context.Context, dir, path string) (File, error) {
	r, err := os.Open(filepath.Join(dir, filepath.FromSlash(path))) //nolint:gosec // the operator names the directory
	if err != nil {
		return File{}, fmt.Errorf("read %s: %w", path, err)
	}
	defer func() { _ = r.Close() }()
	f, err := digest(ctx, r, path)
	if err != nil {
		return File{}, fmt.Errorf("read %s: %w", path, err)
	}
	return f, nil
}

func digest(ctx context.Context, r io.Reader, path string) (File, error) {
	hash := sha256.New()
	var size int64
	buffer := make([]byte, 1<<17)
	for {
		if err := ctx.Err(); err != nil {
			return File{}, err
		}
		n, err := r.Read(buffer)
		hash.Write(buffer[:n])
		size += int64(n)
		if errors.Is(err, io.EOF) {
			return File{Path: path, Bytes: size, SHA256: hex.EncodeToString(hash.Sum(nil))}, nil
		}
		if err != nil {
			return File{}, err
		}
	}
}

// writeManifest completes a backup. All other files are on the disk before the
// manifest is.
func writeManifest(dir string, m Manifest) error {
	if err := settle(dir, m.Files); err != nil {
		return err
	}
	text, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return fmt.Errorf("write %s: %w", manifestName, err)
	}
	part := filepath.Join(dir, manifestName+".part")
	w, err := os.OpenFile(part, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600) //nolint:gosec // the operator names the directory
	if err != nil {
		return fmt.Errorf("write %s: %w", manifestName, err)
	}
	_, err = w.Write(append(text, '\n'))
	if err == nil {
		err = w.Sync()
	}
	if err := errors.Join(err, w.Close()); err != nil {
		return fmt.Errorf("write %s: %w", manifestName, err)
	}
	if err := os.Rename(part, filepath.Join(dir, manifestName)); err != nil {
		return fmt.Errorf("write %s: %w", manifestName, err)
	}
	return syncDirs(dir)
}

// settle writes the names of copied files to the disk, and checks that all are there. If
// the disk has gone away meanwhile, the later ones were written to the one below.
func settle(dir string, files []File) error {
	if err := syncDirs(dir); err != nil {
		return err
	}
	for _, f := range files {
		info, err := os.Stat(filepath.Join(dir, filepath.FromSlash(f.Path)))
		if err != nil {
			return fmt.Errorf("a file that was written is gone; is the disk of %s still there? %w", dir, err)
		}
		if info.Size() != f.Bytes {
			return fmt.Errorf("%s was written with %d bytes and has %d", f.Path, f.Bytes, info.Size())
		}
	}
	return nil
}

// syncDirs writes the names in a directory, and in all below it, to the disk.
func syncDirs(dir string) error {
	return filepath.WalkDir(dir, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.IsDir() {
			return err
		}
		return disk.Sync(name)
	})
}
