package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
)

// Every setting that a file for operators names exists: variables in deploy/ and the
// README, and the names of settings in the chart.
func TestSettingsOfDeployExist(t *testing.T) {
	t.Parallel()
	parser, err := kong.New(&cli{})
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{}
	var collect func(n *kong.Node)
	collect = func(n *kong.Node) {
		for _, flag := range n.Flags {
			for _, env := range flag.Envs {
				known[env] = true
			}
		}
		for _, child := range n.Children {
			collect(child)
		}
	}
	collect(parser.Model.Node)
	variable := regexp.MustCompile(`CONCLAVE_[A-Z0-9_]*[A-Z0-9]`)
	setting := regexp.MustCompile(`settings\.([a-z-]+)`)
	named := 0
	check := func(path, name string) {
		named++
		if !known[name] {
			t.Errorf("%s names %s, which no command has", path, name)
		}
	}
	for _, root := range []string{"../../deploy", "../../README.md"} {
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			text, err := os.ReadFile(path)
			for _, name := range variable.FindAllString(string(text), -1) {
				check(path, name)
			}
			for _, match := range setting.FindAllStringSubmatch(string(text), -1) {
				if strings.Contains(path, "helm") {
					check(path, "CONCLAVE_"+strings.ToUpper(strings.ReplaceAll(match[1], "-", "_")))
				}
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if named < 30 {
		t.Errorf("found %d names, which cannot be all", named)
	}
}
