// Package tooltest finds programs of other projects that scripts/install-test-deps
// builds for the tests, because Debian does not have them.
package tooltest

import (
	"os"
	"path/filepath"
	"testing"
)

// Path returns the path of a program in .cache/tools, at the root of the project. The
// test fails if it is not there.
func Path(t testing.TB, name string) string {
	t.Helper()
	root, err := os.Getwd() // of a test: the directory of its package
	for err == nil && root != "/" {
		if _, missing := os.Stat(filepath.Join(root, "go.mod")); missing == nil {
			break
		}
		root = filepath.Dir(root)
	}
	if err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(root, ".cache", "tools", name)
	if _, err := os.Stat(program); err != nil {
		t.Fatalf("%s is not there; scripts/install-test-deps builds it: %v", name, err)
	}
	return program
}
