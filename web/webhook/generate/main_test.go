package main

import (
	"os"
	"testing"
)

// TestGeneratedFile checks that the file in the tree is up to date.
func TestGeneratedFile(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../src/events.ts")
	if err != nil {
		t.Fatal(err)
	}
	if string(text) != generate() {
		t.Error("web/webhook/src/events.ts differs from package api: run go generate ./web/webhook/generate")
	}
}
