package main

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
)

// leaves are the commands without commands of their own.
func leaves(n *kong.Node) []*kong.Node {
	if len(n.Children) == 0 {
		return []*kong.Node{n}
	}
	var all []*kong.Node
	for _, child := range n.Children {
		all = append(all, leaves(child)...)
	}
	return all
}

// sample is a value that a flag can have, and does not have without being told.
func sample(flag *kong.Flag) string {
	if flag.Enum != "" {
		choices := flag.EnumSlice()
		slices.Sort(choices)
		return choices[slices.IndexFunc(choices, func(c string) bool { return c != flag.Default })]
	}
	for _, text := range []string{"true", "77", "1h17m", "2031-01-02T03:04:05Z"} {
		if text != flag.Default && flag.Parse(kong.ScanFromTokens(kong.Token{Type: kong.FlagValueToken, Value: text}), flag.Target) == nil {
			return text
		}
	}
	return ""
}

// Every flag of every command has a variable: CONCLAVE_ and its name in capitals.
func TestEveryFlagHasItsVariable(t *testing.T) { //nolint:paralleltest // it sets variables of the process
	for _, set := range os.Environ() {
		if name, _, _ := strings.Cut(set, "="); strings.HasPrefix(name, "CONCLAVE_") && !strings.HasPrefix(name, "CONCLAVE_TEST_") {
			t.Setenv(name, "") // restores it
			if err := os.Unsetenv(name); err != nil {
				t.Fatal(err)
			}
		}
	}
	parser, err := newParser(&cli{}, io.Discard, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	flags := 0
	for _, command := range leaves(parser.Model.Node) {
		for _, flag := range append(slices.Clone(parser.Model.Flags), command.Flags...) {
			if flag.Name == "help" || flag.Name == "version" {
				if len(flag.Envs) > 0 {
					t.Errorf("--%s is no setting, and reads %v", flag.Name, flag.Envs)
				}
				continue
			}
			flags++
			checkVariable(t, command.FullPath(), flag)
		}
	}
	if flags < 200 {
		t.Errorf("looked at %d flags, which cannot be all", flags)
	}
}

// checkVariable reads a flag as the parser does, once without and once with its variable.
func checkVariable(t *testing.T, command string, flag *kong.Flag) {
	t.Helper()
	name, text := "CONCLAVE_"+strings.ToUpper(strings.ReplaceAll(flag.Name, "-", "_")), sample(flag)
	read := func() string {
		if err := flag.Reset(); err != nil {
			t.Errorf("%s --%s, which %s sets to %q: %v", command, flag.Name, name, text, err)
		}
		return fmt.Sprint(flag.Target.Interface())
	}
	without := read()
	t.Setenv(name, text)
	with := read()
	if err := os.Unsetenv(name); err != nil {
		t.Fatal(err)
	}
	if with == without {
		t.Errorf("%s --%s is %s whether %s is %q or not set", command, flag.Name, with, name, text)
	}
}
