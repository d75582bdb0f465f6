package main_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/db/dbtest"
)

// A node of the next version starts while one of this version serves, and brings the
// schema up to date under it (docs/how-to/upgrade.md). Meanwhile and afterwards people do
// everything on the old node, and nothing fails; the new node works beside it. The old
// program does not start any more.
//
// The next version is this program with migrations that add what CONTRIBUTING.md allows,
// to every table. So the test covers whatever the next migrations add. Whether the
// version before this one works with the newest migrations can only be tested once
// there is a release to build.
func TestNodesCanBeUpgradedOneAfterTheOther(t *testing.T) {
	t.Parallel()
	r := newRedis(t)
	where := dbtest.Config(t, db.PostgreSQL)
	_, key := newKey(t, where)
	flags := []string{"--redis-url=redis://" + r.address, "--webhooks-allow-private"}
	program, migrations := nextVersion(t, where)
	old := start(t, "serve", named(t, where, "old"), flags...)

	used := make(chan result, 2)
	go func() { used <- use(t, old, key) }()
	eventually(t, old, "people meet on the old node", func() bool { return count(old.happened(key), "participant.joined") >= 6 })
	next := startProgram(t, program, "serve", named(t, where, "next"), flags...)
	if got := strings.Count(next.log.String(), "database migrated"); got != migrations {
		t.Errorf("%d of %d migrations were applied\n%s", got, migrations, next.log)
	}
	wants(t, "while the new node migrates", <-used)

	// Commands are programs, too: those of the old version do not start any more.
	nodes, err := exec.CommandContext(t.Context(), program, append([]string{"nodes", "list", "--json"}, at(where)...)...).Output()
	if err != nil || !strings.Contains(string(nodes), `"version":"next"`) || strings.Count(string(nodes), `"version":`) != 2 {
		t.Errorf("the nodes are %s, %v", nodes, err)
	}
	if listed := command(t, append([]string{"nodes", "list"}, at(where)...)...); listed.status != 1 || !strings.Contains(listed.stderr, "a newer program made schema") {
		t.Errorf("the old command: status %d, %s", listed.status, listed.stderr)
	}
	for _, p := range []*process{old, next} {
		go func() { used <- use(t, p, key) }()
	}
	wants(t, "on the two nodes", <-used)
	wants(t, "on the two nodes", <-used)

	old.stop()
	if refused := command(t, append([]string{"serve", "--listen", "127.0.0.1:0"}, append(at(where), flags...)...)...); refused.status != 1 || !strings.Contains(refused.stderr, "a newer program made schema") {
		t.Errorf("the old program starts again: status %d, %s", refused.status, refused.stderr)
	}
	next.stop()
}

// use lets people do everything on a node.
func use(t *testing.T, p *process, key string) result {
	return commandWithin(t, 3*patience, nil, "load", "--json", "--url", p.url, "--key", key, "--hold", "8s", "--rooms", "2", "--people", "3", "--cameras", "1",
		"--join-rate", "6", "--churn", "60", "--knocks", "30", "--breakouts", "2", "--polls", "--webhooks", "127.0.0.1:0", "--max-failures", "0")
}

func wants(t *testing.T, when string, r result) {
	t.Helper()
	if r.status != 0 {
		t.Errorf("%s: status %d\n%s%s", when, r.status, r.stdout, r.stderr)
	}
}

// nextVersion builds the program with one more migration for each table. The compiler
// takes their files for a part of the source.
func nextVersion(t *testing.T, where db.Config) (program string, migrations int) {
	t.Helper()
	dir := t.TempDir()
	source, err := filepath.Abs("../../internal/db/migrations")
	if err != nil {
		t.Fatal(err)
	}
	overlay := struct{ Replace map[string]string }{map[string]string{}}
	read(t, where, `SELECT tablename, '' FROM pg_tables WHERE schemaname = current_schema() AND tablename <> 'goose_db_version' ORDER BY tablename`, func(table, _ string) {
		name := fmt.Sprintf("%d_%s.sql", 9000+migrations, table)
		text := fmt.Sprintf(`-- +goose Up
ALTER TABLE %[1]s ADD COLUMN next_count BIGINT NOT NULL DEFAULT 0;
ALTER TABLE %[1]s ADD COLUMN next_note TEXT;
CREATE INDEX %[1]s_next ON %[1]s (next_count);
CREATE TABLE %[1]s_next_part (id TEXT PRIMARY KEY, note TEXT NOT NULL);
`, table)
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		overlay.Replace[filepath.Join(source, name)] = file
		migrations++
	})
	list, err := json.Marshal(overlay)
	if err != nil {
		t.Fatal(err)
	}
	files, program := filepath.Join(dir, "overlay.json"), filepath.Join(dir, "conclave")
	if err := os.WriteFile(files, list, 0o600); err != nil {
		t.Fatal(err)
	}
	build := exec.CommandContext(t.Context(), "go", slices.Concat([]string{"build"}, buildFlags(), []string{"-overlay", files, "-ldflags", "-s -w -X main.version=next", "-o", program, "."})...)
	build.Env = append(os.Environ(), "CGO_ENABLED=0", "GOGC=400")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build the next version: %v\n%s", err, out)
	}
	return program, migrations
}
