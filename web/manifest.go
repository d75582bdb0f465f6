package web

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"path"
	"strings"
)

// ManifestPath is where a service publishes the manifest of its interface.
const ManifestPath = "/.well-known/conclave-assets.json"

// Manifest lists the files of a built interface with their digests, so that
// somebody can compare what a service serves with what was released.
type Manifest struct {
	Files []ManifestFile `json:"files"` // in the order of their paths
}

// ManifestFile is one file as browsers get it.
type ManifestFile struct {
	Path   string `json:"path"` // on the service; "/" is the page of every room's link
	SHA256 string `json:"sha256"`
	Bytes  int    `json:"bytes"`
}

// ManifestOf reads every file of a built interface. The same files make the
// same manifest; an interface that was not built has an empty one.
func ManifestOf(files fs.FS) (Manifest, error) {
	m := Manifest{Files: []ManifestFile{}}
	err := fs.WalkDir(files, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || strings.HasPrefix(entry.Name(), ".") {
			return err
		}
		if ending := path.Ext(name); ending == ".br" || ending == ".gz" {
			return nil // the same file, compressed for the way
		}
		content, err := fs.ReadFile(files, name)
		if err != nil {
			return fmt.Errorf("read %s: %w", name, err)
		}
		at := "/" + name
		if name == "index.html" {
			at = "/"
		}
		digest := sha256.Sum256(content)
		m.Files = append(m.Files, ManifestFile{Path: at, SHA256: hex.EncodeToString(digest[:]), Bytes: len(content)})
		return nil
	})
	if err != nil {
		return Manifest{}, fmt.Errorf("list the interface: %w", err)
	}
	return m, nil
}
