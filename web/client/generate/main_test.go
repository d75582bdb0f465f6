package main

import (
	"os"
	"testing"
)

// TestGeneratedFile checks that the file in the tree is up to date.
func TestGeneratedFile(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../src/wire.ts")
	if err != nil {
		t.Fatal(err)
	}
	want, err := generate()
	if err != nil {
		t.Fatal(err)
	}
	if string(text) != want {
		t.Error("web/client/src/wire.ts differs from the meeting protocol: run go generate ./web/client/generate")
	}
}
