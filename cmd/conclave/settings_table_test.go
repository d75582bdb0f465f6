package main

import (
	"io"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
)

// The table of settings in the README lists every flag of serve once, and no other.
func TestTheTableOfSettingsListsEveryFlag(t *testing.T) {
	t.Parallel()
	parser, err := newParser(&cli{}, io.Discard, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	at := slices.IndexFunc(parser.Model.Children, func(n *kong.Node) bool { return n.Name == "serve" })
	var flags []string
	for _, flag := range parser.Model.Children[at].Flags {
		flags = append(flags, "--"+flag.Name)
	}
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(readme), "| flag | default | meaning |\n")
	table, _, _ = strings.Cut(table, "\n\n")
	var listed []string
	for line := range strings.Lines(table) {
		cell, _, _ := strings.Cut(strings.TrimPrefix(line, "|"), "|")
		listed = append(listed, regexp.MustCompile(`--[a-z-]+`).FindAllString(cell, -1)...)
	}
	listed = slices.DeleteFunc(listed, func(name string) bool { return strings.Trim(name, "-") == "" }) // the line below the head
	slices.Sort(flags)
	slices.Sort(listed)
	if !slices.Equal(flags, listed) {
		t.Errorf("serve has the flags\n\t%v, and the table lists\n\t%v", flags, listed)
	}
}
