package internal_test

import (
	"iter"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// The two documents that show the map name every package on it.
func TestDocumentsShowTheMap(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"../CONTRIBUTING.md", "../docs/architecture.md"} {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		named := map[string]bool{}
		for code := range codeSpans(string(text)) {
			for word := range strings.FieldsFuncSeq(code, func(r rune) bool { return strings.ContainsRune("/{},", r) }) {
				named[word] = true
			}
		}
		for _, entry := range slices.Concat(levels...) {
			if !named[path.Base(entry)] {
				t.Errorf("%s does not name %s", name, entry)
			}
		}
	}
}

// codeSpans are the parts between backticks in the tables of a document.
func codeSpans(markdown string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for line := range strings.Lines(markdown) {
			if !strings.HasPrefix(line, "|") {
				continue
			}
			for i, part := range strings.Split(line, "`") {
				if i%2 == 1 && !yield(part) {
					return
				}
			}
		}
	}
}

// Every package begins with a comment that explains it. In a package of several files
// it is in doc.go.
func TestEveryPackageExplainsItself(t *testing.T) {
	t.Parallel()
	packages := map[string][]file{}
	for _, f := range sources(t, "..") {
		if !f.test() {
			packages[f.pkg()] = append(packages[f.pkg()], f)
		}
	}
	for pkg, files := range packages {
		want := "doc.go"
		if len(files) == 1 {
			want = files[0].name()
		}
		var about []string
		for _, f := range files {
			if f.about {
				about = append(about, f.name())
			}
		}
		if !slices.Equal(about, []string{want}) {
			t.Errorf("the comment that explains %s is in %q, want it in %s only", pkg, about, want)
		}
	}
}

// decisionTitle finds the number and the title of a decision.
var decisionTitle = regexp.MustCompile(`(?m)^# (\d+)\. (.+)$`)

// The list of decisions has a line for each, with its number, title and link.
func TestTheListOfDecisionsIsComplete(t *testing.T) {
	t.Parallel()
	list, err := os.ReadFile("../docs/decisions/README.md")
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob("../docs/decisions/[0-9]*.md")
	if err != nil {
		t.Fatal(err)
	}
	if len(files) < 30 {
		t.Fatalf("found %d decisions, which cannot be all of them", len(files))
	}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		title := decisionTitle.FindStringSubmatch(string(text))
		if title == nil {
			t.Errorf("%s has no title like \"# 1. Decisions are written down\"", name)
			continue
		}
		if line := "| " + title[1] + " | [" + title[2] + "](" + filepath.Base(name) + ")"; !strings.Contains(string(list), line) {
			t.Errorf("docs/decisions/README.md has no line that begins with %s", line)
		}
	}
}
