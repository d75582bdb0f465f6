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

// Names lists the files of a built interface, without the variants that the build
// compressed. An interface that was not built has none.
func Names(files fs.FS) ([]string, error) {
	var names []string
	err := fs.WalkDir(files, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || strings.HasPrefix(entry.Name(), ".") {
			return err
		}
		if ending := path.Ext(name); ending == ".br" || ending == ".gz" {
			return nil
		}
		names = append(names, name)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("list the interface: %w", err)
	}
	return names, nil
}

// ManifestOf reads every file of a built interface. The same files make the
// same manifest; an interface that was not built has an empty one.
func ManifestOf(files fs.FS) (Manifest, error) {
	names, err := Names(files)
	if err != nil {
		return Manifest{}, err
	}
	m := Manifest{Files: []ManifestFile{}}
	for _, name := range names {
		content, err := fs.ReadFile(files, name)
		if err != nil {
			return Manifest{}, fmt.Errorf("read %s of the interface: %w", name, err)
		}
		at := "/" + name
		if name == "index.html" {
			at = "/"
		}
		digest := sha256.Sum256(content)
		m.Files = append(m.Files, ManifestFile{Path: at, SHA256: hex.EncodeToString(digest[:]), Bytes: len(content)})
	}
	return m, nil
}
