package internal_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	codeBlock = regexp.MustCompile("(?s)```.*?```")
	heading   = regexp.MustCompile(`(?m)^#+ (.+)$`)
	link      = regexp.MustCompile(`\]\(([^)\s]*)\)`)
	linked    = regexp.MustCompile(`\[([^\]]*)\]\([^)]*\)`)
	inNoName  = regexp.MustCompile(`[^\p{L}\p{N}_ -]`)
)

// A link from one document to another leads to a file that exists, and to a heading
// in it.
func TestLinksBetweenDocumentsLeadSomewhere(t *testing.T) {
	t.Parallel()
	checked := 0
	for name, text := range documents(t) {
		for _, found := range link.FindAllStringSubmatch(text, -1) {
			to, place, _ := strings.Cut(found[1], "#")
			if strings.Contains(to, ":") {
				continue // another site
			}
			checked++
			target := name
			if to != "" {
				target = filepath.Join(filepath.Dir(name), to)
			}
			if _, err := os.Stat(target); err != nil {
				t.Errorf("%s links to %s: %v", name, found[1], err)
				continue
			}
			if place != "" && filepath.Ext(target) == ".md" && !slices.Contains(places(t, target), place) {
				t.Errorf("%s links to %s, and there is no such heading", name, found[1])
			}
		}
	}
	if checked < 400 {
		t.Errorf("found %d links, which cannot be all of them", checked)
	}
}

// documents are the project's documents without their blocks of code.
func documents(t *testing.T) map[string]string {
	t.Helper()
	texts := map[string]string{}
	err := filepath.WalkDir("..", func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() && (entry.Name() == "node_modules" || entry.Name() == "dist" || strings.HasPrefix(entry.Name(), ".") && name != "..") {
			return filepath.SkipDir
		}
		if filepath.Ext(name) == ".md" {
			texts[name] = withoutCode(t, name)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return texts
}

func withoutCode(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return codeBlock.ReplaceAllString(string(text), "")
}

// places are the names by which links lead to the headings of a document, as GitHub
// makes them.
func places(t *testing.T, name string) (names []string) {
	t.Helper()
	for _, found := range heading.FindAllStringSubmatch(withoutCode(t, name), -1) {
		text := strings.ToLower(linked.ReplaceAllString(found[1], "$1"))
		names = append(names, strings.ReplaceAll(inNoName.ReplaceAllString(text, ""), " ", "-"))
	}
	return names
}
