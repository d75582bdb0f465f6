package main

import (
	"os"
	"testing"
)

// TestGeneratedFiles checks that the files in the tree are up to date.
func TestGeneratedFiles(t *testing.T) {
	t.Parallel()
	for file, generate := range map[string]func() (string, error){
		"web/client/src/wire.ts":        generate,
		"web/meet/src/member/limits.ts": generateForms,
	} {
		text, err := os.ReadFile("../../../" + file)
		if err != nil {
			t.Fatal(err)
		}
		want, err := generate()
		if err != nil {
			t.Fatal(err)
		}
		if string(text) != want {
			t.Errorf("%s differs from what the service says: run go generate ./web/client/generate", file)
		}
	}
}
