package main_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/db/dbtest"
)

// Names from the command line keep to the rules of the API: they are trimmed and
// composed, have 1 to 80 characters, and no control characters.
func TestNamesFromTheCommandLineFollowTheRulesOfTheAPI(t *testing.T) {
	t.Parallel()
	where := dbtest.Config(t, db.SQLite)
	workspace, _ := newKey(t, where)
	for _, what := range [][]string{
		{"rooms", "create", "--workspace", workspace},
		{"workspaces", "create", "--owner", "ada@acme.example"},
		{"roles", "create", "--workspace", workspace},
		{"keys", "create", "--workspace", workspace, "--scopes", "all"},
	} {
		for _, c := range []struct{ name, stored, says string }{
			{strings.Repeat("é", 80), strings.Repeat("é", 80), ""},
			{" Cafe\u0301 ", "Caf\u00e9", ""},
			{strings.Repeat("é", 81), "", "name must be 1 to 80 characters long."},
			{" ", "", "name must be 1 to 80 characters long."},
			{"a\nb", "", "name must not contain control characters."},
		} {
			args := slices.Concat(what, []string{"--name", c.name})
			if c.says != "" {
				r := command(t, slices.Concat(args, at(where))...)
				if r.status != 1 || !strings.Contains(r.stderr, c.says) || r.stdout != "" {
					t.Errorf("conclave %v: status %d, %q and %q; want status 1 and %q", args, r.status, r.stdout, r.stderr, c.says)
				}
				continue
			}
			var made map[string]any
			administrate(t, where, &made, args...)
			got := made["name"]
			if what[0] == "keys" {
				got = newestKey(t, where, workspace)["name"]
			}
			if got != c.stored {
				t.Errorf("conclave %v stored %q, want %q", args, got, c.stored)
			}
		}
	}
	// A role is found by its name in either form.
	var member map[string]any
	administrate(t, where, &member, "members", "add", "--workspace", workspace, "--email", "ada@acme.example", "--role", "Cafe\u0301")
	if member["role"] != "Caf\u00e9" {
		t.Errorf("the member is %v", member)
	}
}

func newestKey(t *testing.T, where db.Config, workspace string) map[string]any {
	t.Helper()
	var list map[string]any
	administrate(t, where, &list, "keys", "list", "--workspace", workspace)
	return list["data"].([]any)[0].(map[string]any)
}

// A key expires after 30, 90 or 365 days, or never.
func TestDaysUntilAKeyExpires(t *testing.T) {
	t.Parallel()
	where := dbtest.Config(t, db.SQLite)
	workspace, _ := newKey(t, where)
	create := []string{"keys", "create", "--workspace", workspace, "--scopes", "all"}
	for days, n := range map[string]int{"30": 30, "90": 90, "365": 365} {
		before := time.Now().UTC().Truncate(time.Millisecond)
		var made map[string]any
		administrate(t, where, &made, slices.Concat(create, []string{"--expires", days})...)
		text, _ := made["expires_at"].(string)
		expires, err := time.Parse(api.TimeLayout, text)
		if err != nil || expires.Before(before.AddDate(0, 0, n)) || expires.After(time.Now().UTC().AddDate(0, 0, n)) {
			t.Errorf("a key for %s days, made at %v, expires at %v (%v)", days, before, made["expires_at"], err)
		}
	}
	var made map[string]any
	administrate(t, where, &made, slices.Concat(create, []string{"--expires", "0"})...)
	if expires, there := made["expires_at"]; !there || expires != nil {
		t.Errorf("a key for ever expires at %v", expires)
	}
	for _, days := range []string{"-30", "1", "29", "31", "89", "91", "364", "366", "30.5", "month"} {
		r := command(t, slices.Concat(create, []string{"--expires=" + days}, at(where))...)
		if r.status != 2 || !strings.Contains(r.stderr, "--expires") || r.stdout != "" {
			t.Errorf("a key for %s days: status %d, %q and %q; want status 2 and a sentence about --expires", days, r.status, r.stdout, r.stderr)
		}
	}
}
