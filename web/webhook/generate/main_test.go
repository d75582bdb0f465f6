package main

import (
	"os"
	"testing"
)

// The file in the tree is the one that the structs of package api make.
func TestGeneratedFile(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../src/events.ts")
	if err != nil {
		t.Fatal(err)
	}
	if string(text) != generate() {
		t.Error("web/webhook/src/events.ts is not what package api says now: run go generate ./web/webhook/generate")
	}
}
