// Package internal_test checks the project against its map: which package may import
// which. The compiler already refuses cycles; these tests refuse the wrong direction,
// and name the rule that was broken.
//
// Read levels first: it is the map. The other rules keep each outside library
// behind the one package that knows it.
package internal_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/conclave-rooms/conclave/"

// levels is the map, lowest first. A package imports packages of lower levels
// only. Foundations may also import each other; features may not: what two features of
// one level have in common belongs below them, and package server connects a feature to
// another one that it has to notify.
//
// An entry covers the packages below it too.
var levels = [][]string{
	{"api"},
	{"client"},
	{
		"internal/asset", "internal/auth", "internal/backup", "internal/blob", "internal/cert", "internal/config", "internal/db", "internal/disk", "internal/docs", "internal/event", "internal/fault",
		"internal/gate", "internal/id", "internal/job", "internal/logtest", "internal/loop", "internal/mail", "internal/media", "internal/node", "internal/notify", "internal/outbound", "internal/rest",
		"internal/schema", "internal/seal", "internal/tooltest", "web",
	},
	{"internal/identity", "internal/room", "internal/webhook"},
	{"internal/seat"},
	{"internal/actor", "internal/mediaroom", "internal/stream", "internal/schedule"},
	{"internal/live"},
	{"internal/breakout", "internal/group", "internal/join", "internal/poll", "internal/recording"},
	{"internal/probe"},
	{"internal/doctor", "internal/load", "internal/server"},
	{"cmd/conclave"},
}

const (
	contract    = 0
	client      = 1
	foundations = 2
	server      = 9
)

// tools look at a service from outside. They share the server's level because they
// import no more than a feature may, and only the program imports them.
var tools = []string{"internal/doctor", "internal/load"}

// homes says where an outside module may be imported. Nowhere: nil. Test files
// count as well. The first entry that covers an import decides.
var homes = []struct {
	module string
	homes  []string
	why    string
}{
	{"github.com/livekit/protocol/livekit", []string{"internal/gate", "internal/media/livekit", "internal/media/mediaclient"}, "everyone else speaks to package media; the gate reads what clients say, in the words of their protocol"},
	{"github.com/livekit", []string{"internal/media/livekit", "internal/media/mediaclient"}, "everyone else speaks to package media, so that the media server can be replaced"},
	{"github.com/pion", []string{"internal/media/livekit", "internal/media/mediaclient", "internal/media/turn"}, "everyone else speaks to package media, so that the media server can be replaced"},
	{"gocloud.dev", []string{"internal/blob"}, "everyone else speaks to package blob, which speaks to files and to S3"},
	{"github.com/aws", []string{"internal/blob"}, "everyone else speaks to package blob, which speaks to files and to S3"},
	{"github.com/jackc/pgx", []string{"internal/db", "internal/notify"}, "everyone else speaks to package db, which speaks to both databases"},
	{"modernc.org/sqlite", []string{"internal/db"}, "everyone else speaks to package db, which speaks to both databases"},
	{"github.com/pressly/goose", []string{"internal/db"}, "migrations are package db's"},
	{"github.com/coreos/go-oidc", []string{"internal/identity"}, "signing in is package identity's"},
	{"golang.org/x/crypto/acme", []string{"internal/cert"}, "certificates that the service gets by itself are package cert's"},
	{"golang.org/x/oauth2", []string{"internal/identity", "internal/schedule/calendar"}, "signing in is package identity's, consent to calendars package calendar's"},
	{"github.com/alexedwards/argon2id", []string{"internal/identity"}, "signing in is package identity's"},
	{"code.dny.dev/ssrf", []string{"internal/outbound"}, "strangers' addresses are package outbound's"},
	{"go.opentelemetry.io", []string{"internal/db", "internal/server"}, "requests are traced at the edge, and transactions in package db; everyone else passes on the context"},
	{"github.com/alecthomas/kong", []string{"cmd/conclave", "internal/config"}, "only the command line knows its parser"},
	{"github.com/stretchr/testify", nil, "tests use the standard library"},
	{"github.com/pkg/errors", nil, "use errors and fmt"},
}

// refused are packages of the standard library that have better successors.
var refused = map[string]string{
	"math/rand": "use math/rand/v2, or crypto/rand for secrets",
	"io/ioutil": "use io and os",
	"log":       "log through the *slog.Logger you were given",
}

// file is one Go file: what it imports, and what it does that only some files
// of a feature may do.
type file struct {
	path    string // slash-separated, from the module's root
	imports []string
	about   bool // begins with a comment on its package

	lines     int
	generated bool
	sleeps    []int    // the lines that sleep and give no reason
	tables    []string // the tables of package seat that it sends SQL to

	queries      bool // sends SQL to the database
	transactions bool // opens transactions
	clock        bool // asks what time it is, or waits
}

func (f file) pkg() string  { return path.Dir(f.path) }
func (f file) name() string { return path.Base(f.path) }
func (f file) test() bool   { return strings.HasSuffix(f.path, "_test.go") }

// feature says whether the file is a feature's, and no test.
func (f file) feature() bool {
	from := level(f.pkg())
	return from > foundations && from < server && !f.test() && !helper(f.pkg())
}

// helper says whether the package only serves tests: a package named *test, the
// fake media server, a program that the browser tests start, or one that writes
// code.
func helper(pkg string) bool {
	return strings.HasSuffix(pkg, "test") || pkg == "internal/media/fake" || within(pkg, "web/e2e") || within(pkg, "web/client/generate")
}

func TestEveryImportFollowsTheMap(t *testing.T) {
	t.Parallel()
	files := sources(t, "..")
	if len(files) < 10 {
		t.Fatalf("found %d Go files in the module, which cannot be all of them", len(files))
	}
	for _, f := range files {
		for _, broken := range check(f) {
			t.Error(broken)
		}
	}
}

// check names every rule that a file breaks.
func check(f file) []string {
	var broken []string
	say := func(format string, args ...any) {
		broken = append(broken, f.path+" "+fmt.Sprintf(format, args...))
	}
	if level(f.pkg()) < 0 && f.pkg() != "internal" {
		say("is in a package that has no place on the map: add %s to levels in internal/layers_test.go", f.pkg())
		return broken
	}
	for _, rule := range checkRole(f) {
		say("%s", rule)
	}
	for _, imported := range f.imports {
		if rule := checkLibrary(f, imported); rule != "" {
			say("imports %s: %s", imported, rule)
		}
		if own, ok := strings.CutPrefix(imported, module); ok {
			if rule := checkDirection(f, own); rule != "" {
				say("imports %s: %s", own, rule)
			}
		}
	}
	return broken
}

// checkDirection judges an import of a package of this module.
func checkDirection(f file, imported string) string {
	from, to := level(f.pkg()), level(imported)
	switch {
	case f.test():
		return "" // tests look at a package from outside
	case helper(imported) && !helper(f.pkg()):
		return "it serves tests and stays out of the binary"
	case helper(f.pkg()) && from == foundations:
		return "" // a foundation's test helper may set the scene with anything
	case from == contract:
		return "package api imports the standard library only, so that anyone can depend on it"
	case from == client && to > client:
		return "the packages for customers' programs import package api and the standard library only"
	case to > foundations && slices.Contains(tools, f.pkg()):
		return "a tool looks at a service from outside, and imports foundations only"
	case to > from && from == foundations:
		return "a foundation knows no feature; offer a hook and connect it in package server"
	case to > from:
		return "it stands higher on the map; offer a hook and connect it in package server"
	case to == from && from > foundations && feature(f.pkg()) != feature(imported):
		return "features of one level do not know each other; share it in a foundation, or connect them in package server"
	case from > foundations && from < server && within(imported, "internal/rest") && f.role() != "http":
		return "of a feature, only http*.go speaks HTTP"
	}
	return ""
}

// checkLibrary judges an import of the standard library or of another module.
func checkLibrary(f file, imported string) string {
	from := level(f.pkg())
	if from == contract && !f.test() && strings.Contains(first(imported), ".") && !strings.HasPrefix(imported, module) {
		return "package api imports the standard library only, so that anyone can depend on it"
	}
	if from == client && !f.test() && strings.Contains(first(imported), ".") && !strings.HasPrefix(imported, module) {
		return "the packages for customers' programs import package api and the standard library only"
	}
	if rule, ok := refused[imported]; ok {
		return rule
	}
	for _, h := range homes {
		if !within(imported, h.module) {
			continue
		}
		if !slices.ContainsFunc(h.homes, func(home string) bool { return within(f.pkg(), home) }) {
			return h.why
		}
		break
	}
	if f.test() {
		return ""
	}
	switch {
	case imported == "net/http" && within(f.pkg(), "internal/schema"):
		return "package schema reads and describes JSON; HTTP is package rest's"
	case within(imported, "database/sql") && !within(f.pkg(), "internal/db"):
		return "use package db"
	case imported == "net/http" && from > foundations && from < server && !helper(f.pkg()) && f.role() != "http":
		return "of a feature, only http*.go speaks HTTP"
	}
	return ""
}

// level is a package's place on the map, -1 without one.
func level(pkg string) int {
	for i, entries := range levels {
		if slices.ContainsFunc(entries, func(entry string) bool { return within(pkg, entry) }) {
			return i
		}
	}
	return -1
}

// feature is the entry of the map that covers a package: a feature may be cut
// into several packages.
func feature(pkg string) string {
	for _, entry := range slices.Concat(levels...) {
		if within(pkg, entry) {
			return entry
		}
	}
	return pkg
}

// within says whether a path is the given one or lies below it.
func within(p, root string) bool { return p == root || strings.HasPrefix(p, root+"/") }

func first(p string) string { return strings.SplitN(p, "/", 2)[0] }

// sources reads the imports of every Go file of the module.
func sources(t *testing.T, root string) []file {
	t.Helper()
	var files []file
	err := filepath.WalkDir(root, func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			if slices.Contains([]string{"node_modules", "testdata", "dist", "bin", "data"}, entry.Name()) ||
				name != root && strings.HasPrefix(entry.Name(), ".") {
				return fs.SkipDir
			}
			return nil
		}
		if filepath.Ext(name) != ".go" {
			return nil
		}
		f, err := parse(root, name)
		files = append(files, f)
		return err
	})
	if err != nil {
		t.Fatalf("read the module: %v", err)
	}
	return files
}

func parse(root, name string) (file, error) {
	relative, err := filepath.Rel(root, name)
	if err != nil {
		return file{}, err
	}
	src, err := os.ReadFile(name)
	if err != nil {
		return file{}, err
	}
	positions := token.NewFileSet()
	syntax, err := parser.ParseFile(positions, name, src, parser.SkipObjectResolution|parser.ParseComments)
	if err != nil {
		return file{}, err
	}
	f := file{
		path: filepath.ToSlash(relative), about: syntax.Doc != nil,
		lines: positions.File(syntax.Pos()).LineCount(), generated: ast.IsGenerated(syntax), sleeps: sleeps(positions, syntax),
	}
	for _, spec := range syntax.Imports {
		imported, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			return file{}, fmt.Errorf("%s: %w", name, err)
		}
		f.imports = append(f.imports, imported)
	}
	ast.Inspect(syntax, func(n ast.Node) bool {
		noteTables(&f, n)
		if call, ok := n.(*ast.CallExpr); ok {
			note(&f, call)
		}
		return true
	})
	return f, nil
}

// The map refuses imports that break one of its rules, and no others.
func TestTheMapRefusesWrongImports(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		path    string
		imports string
		refused bool
	}{
		{"a feature above a feature", "internal/join/service.go", module + "internal/live", false},
		{"a feature below a feature", "internal/live/service.go", module + "internal/join", true},
		{"two features of one level", "internal/room/service.go", module + "internal/identity", true},
		{"a part of the same feature", "internal/room/http.go", module + "internal/room/code", false},
		{"a feature on a foundation", "internal/room/store.go", module + "internal/db", false},
		{"a foundation on a foundation", "internal/event/event.go", module + "internal/db", false},
		{"a foundation on a feature", "internal/rest/edge.go", module + "internal/room", true},
		{"the contract on a foundation", "api/room.go", module + "internal/fault", true},
		{"the contract on a module", "api/room.go", "github.com/google/uuid", true},
		{"the contract on the standard library", "api/room.go", "encoding/json", false},
		{"a customer's package on the contract", "client/webhook/event.go", module + "api", false},
		{"a customer's package on HTTP", "client/webhook/handler.go", "net/http", false},
		{"a customer's package on a foundation", "client/webhook/event.go", module + "internal/fault", true},
		{"a customer's package on a module", "client/webhook/event.go", "github.com/google/uuid", true},
		{"the contract on a customer's package", "api/event.go", module + "client/webhook", true},
		{"an unknown package", "internal/utils/strings.go", "strings", true},
		{"a tool on a foundation", "internal/doctor/smtp.go", module + "internal/mail", false},
		{"a tool on a feature", "internal/doctor/smtp.go", module + "internal/room", true},
		{"a tool on the server", "internal/load/load.go", module + "internal/server", true},
		{"the edge in a rule", "internal/room/room.go", module + "internal/rest", true},
		{"a part of the edge in a rule", "internal/room/room.go", module + "internal/rest/limit", true},
		{"the edge at a feature's edge", "internal/room/http.go", module + "internal/rest/limit", false},
		{"LiveKit in its home", "internal/media/livekit/embed.go", "github.com/livekit/livekit-server/pkg/service", false},
		{"LiveKit's protocol in the gate", "internal/gate/sdp.go", "github.com/livekit/protocol/livekit", false},
		{"the media server in the gate", "internal/gate/sdp.go", "github.com/livekit/livekit-server/pkg/rtc", true},
		{"LiveKit in a feature", "internal/live/service.go", "github.com/livekit/protocol/livekit", true},
		{"LiveKit in a feature's test", "internal/live/live_test.go", "github.com/livekit/protocol/livekit", true},
		{"SQL behind package db", "internal/room/store.go", "database/sql", true},
		{"SQL in package db", "internal/db/tx.go", "database/sql", false},
		{"HTTP in a rule", "internal/room/service.go", "net/http", true},
		{"HTTP in a file with a name like an edge's", "internal/room/httpish.go", "net/http", true},
		{"HTTP at a feature's edge", "internal/room/http_visitors.go", "net/http", false},
		{"HTTP below the edge", "internal/schema/decode.go", "net/http", true},
		{"HTTP at the edge", "internal/rest/serve.go", "net/http", false},
		{"HTTP in a foundation", "internal/gate/gate.go", "net/http", false},
		{"HTTP in a feature's test", "internal/room/room_test.go", "net/http", false},
		{"a test helper in the binary", "internal/server/wire.go", module + "internal/media/fake", true},
		{"a test helper in a test", "internal/live/live_test.go", module + "internal/media/fake", false},
		{"a test from outside", "internal/room/room_test.go", module + "internal/server", false},
		{"the old random numbers", "internal/id/id.go", "math/rand", true},
		{"the new random numbers", "internal/id/id.go", "math/rand/v2", false},
		{"the old log", "internal/server/server.go", "log", true},
		{"the new log", "internal/server/server.go", "log/slog", false},
		{"the command on the server", "cmd/conclave/main.go", module + "internal/server", false},
		{"the server on the command", "internal/server/server.go", module + "cmd/conclave", true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			broken := check(file{path: tt.path, imports: []string{tt.imports}})
			if got := len(broken) > 0; got != tt.refused {
				t.Errorf("%s importing %s: refused %v, want %v %q", tt.path, tt.imports, got, tt.refused, broken)
			}
		})
	}
}
