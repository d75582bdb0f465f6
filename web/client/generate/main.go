package main

import (
	"fmt"
	"os"

	"github.com/conclave-rooms/conclave/internal/server"
)

//go:generate go run . ../src/wire.ts ../../meet/src/member/limits.ts

func main() {
	if len(os.Args) != 3 {
		fail("usage: generate WIRE LIMITS")
	}
	for i, generate := range []func() (string, error){generate, generateForms} {
		text, err := generate()
		if err != nil {
			fail(err.Error())
		}
		if err := os.WriteFile(os.Args[i+1], []byte(text), 0o644); err != nil { //nolint:gosec // source code may be readable by all
			fail(err.Error())
		}
	}
}

func fail(message string) {
	_, _ = fmt.Fprintln(os.Stderr, message)
	os.Exit(1)
}

// generate writes the file.
func generate() (string, error) {
	raw, err := server.MeetDocument("https://meet.example.com", "0")
	if err != nil {
		return "", fmt.Errorf("describe /meet/v1: %w", err)
	}
	doc, err := read(raw)
	if err != nil {
		return "", err
	}
	w := &writer{doc: doc}
	w.line("%s", head)
	for _, name := range []string{"LookUpAnswer", "CalendarFile", "SeatAnswer", "MediaToken", "Test", "RoomChange", "PollCreate", "BreakoutCreate", "started", "target"} {
		if err := w.wanted(name); err != nil {
			return "", err
		}
	}
	if err := w.events(); err != nil {
		return "", err
	}
	if err := w.limits(); err != nil {
		return "", err
	}
	w.line("%s", tail)
	return w.out.String(), nil
}
