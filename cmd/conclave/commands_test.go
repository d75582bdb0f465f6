package main_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/db/dbtest"
)

// shape names the fields of an object.
func shape(m map[string]any) string {
	return strings.Join(slices.Sorted(maps.Keys(m)), " ")
}

func wantShape(t *testing.T, what string, m map[string]any, fields string) {
	t.Helper()
	want := strings.Fields(fields)
	slices.Sort(want)
	if got := shape(m); got != strings.Join(want, " ") {
		t.Errorf("%s has the fields %s, want %s", what, got, want)
	}
}

// Every administrative command works while the service runs on the same data,
// and takes effect within a second.
func TestCommandsWhileTheServiceRuns(t *testing.T) {
	t.Parallel()
	dbtest.EachConfig(t, func(t *testing.T, where db.Config) {
		p := start(t, "serve", where, "--public-url", "https://meet.example.com/")
		workspace := checkWorkspaces(t, where)
		key := checkKeys(t, p, where, workspace)
		checkRooms(t, p, where, workspace, key)
		checkMembers(t, p, where, workspace)
		p.stop()
		// And while it does not run.
		var list map[string]any
		administrate(t, where, &list, "rooms", "list", "--workspace", workspace)
		if rooms := list["data"].([]any); len(rooms) != 4 {
			t.Errorf("%d rooms are left, want 4", len(rooms))
		}
	})
}

func checkWorkspaces(t *testing.T, where db.Config) string {
	t.Helper()
	var w map[string]any
	administrate(t, where, &w, "workspaces", "create", "--name", " Acme ", "--owner", "Owner@Acme.example")
	wantShape(t, "a new workspace", w, "id name owner")
	owner := w["owner"].(map[string]any)
	wantShape(t, "its owner", owner, "id email")
	if w["name"] != "Acme" || owner["email"] != "owner@acme.example" {
		t.Errorf("the workspace is %v", w)
	}
	var list map[string]any
	administrate(t, where, &list, "workspaces", "list")
	wantShape(t, "the list of workspaces", list, "object data has_more")
	personal := 0
	for _, one := range list["data"].([]any) {
		wantShape(t, "a workspace in the list", one.(map[string]any), "id name personal created_at")
		if one.(map[string]any)["personal"] == true {
			personal++
		}
	}
	if len(list["data"].([]any)) != 2 || personal != 1 {
		t.Errorf("the workspaces are %v, want the company's and the owner's own", list)
	}
	return w["id"].(string)
}

func checkKeys(t *testing.T, p *process, where db.Config, workspace string) (key string) {
	t.Helper()
	var k map[string]any
	administrate(t, where, &k, "keys", "create", "--workspace", workspace, "--scopes", "all", "--environment", "test", "--expires", "30", "--name", "CI")
	wantShape(t, "a new key", k, "id key workspace_id scopes environment expires_at")
	key = k["key"].(string)
	expires, err := time.Parse(api.TimeLayout, k["expires_at"].(string))
	if days := time.Until(expires).Hours() / 24; err != nil || days < 29.9 || days > 30.1 {
		t.Errorf("a key for 30 days expires at %v (%v)", k["expires_at"], err)
	}
	if !strings.HasPrefix(key, "svc_test_") || k["environment"] != "test" || k["workspace_id"] != workspace || len(k["scopes"].([]any)) != len(api.Scopes()) {
		t.Errorf("the key is %v", k)
	}
	var me api.APIKey
	p.get("/api/v1/me", key, &me)
	if me.ID != k["id"] || me.Name != "CI" {
		t.Errorf("the service knows the key as %+v", me)
	}

	// For people, only the key is on standard output, and everything about it
	// on standard error.
	r := command(t, append([]string{"keys", "create", "--workspace", workspace, "--scopes", "rooms:read,tokens:create", "--expires-at", "2099-01-01T00:00:00Z"}, at(where)...)...)
	second := strings.TrimSuffix(r.stdout, "\n")
	p.get("/api/v1/me", second, &me)
	if me.ExpiresAt == nil || me.ExpiresAt.Year() != 2099 || !reflect.DeepEqual(me.Scopes, []api.Scope{api.ScopeRoomsRead, api.ScopeTokensCreate}) {
		t.Errorf("the second key is %+v", me)
	}

	var list map[string]any
	administrate(t, where, &list, "keys", "list", "--workspace", workspace)
	if len(list["data"].([]any)) != 2 || strings.Contains(shape(list["data"].([]any)[0].(map[string]any)), "key") {
		t.Errorf("the keys are %v", list)
	}
	var revoked map[string]any
	administrate(t, where, &revoked, "keys", "revoke", me.ID)
	soonRefused(t, p, second, api.CodeAPIKeyRevoked)
	return key
}

// soonRefused waits until a key is refused. For half a second the service may still use
// what it read about the key before the command changed it.
func soonRefused(t *testing.T, p *process, key, code string) {
	t.Helper()
	eventually(t, p, "the key is refused with "+code, func() bool {
		status, body := p.call(http.MethodGet, "/api/v1/me", key, "")
		return status == http.StatusUnauthorized && strings.Contains(string(body), code)
	})
}

func checkRooms(t *testing.T, p *process, where db.Config, workspace, key string) {
	t.Helper()
	var made map[string]any
	administrate(t, where, &made, "rooms", "create", "--workspace", workspace, "--name", "From the shell")
	var known map[string]any
	p.get("/api/v1/rooms/"+made["id"].(string), key, &known)
	if !reflect.DeepEqual(made, known) {
		t.Errorf("the command line made %v, the service knows %v", made, known)
	}
	administrate(t, where, &made, "rooms", "create", "--workspace", workspace, "--name", "All hands", "--type", "webinar")
	p.get("/api/v1/rooms/"+made["id"].(string), key, &known)
	if settings := known["settings"].(map[string]any); settings["type"] != "webinar" {
		t.Errorf("the webinar is %v", known)
	}
	administrate(t, where, &made, "rooms", "create", "--workspace", workspace, "--name", "Board", "--encryption", "strict")
	p.get("/api/v1/rooms/"+made["id"].(string), key, &known)
	if settings := known["settings"].(map[string]any); settings["encryption"] != "strict" || settings["recordings"] != "end_to_end" {
		t.Errorf("the strict room is %v", known)
	}
	if status, body := p.call(http.MethodPost, "/api/v1/rooms", key, `{"name": "From the API"}`); status != http.StatusCreated {
		t.Errorf("make a room: %d %s", status, body)
	}
	var list map[string]any
	administrate(t, where, &list, "rooms", "list", "--workspace", workspace, "--limit", "2")
	var page map[string]any
	p.get("/api/v1/rooms?limit=2", key, &page)
	if !reflect.DeepEqual(list, page) || page["has_more"] != true {
		t.Errorf("the command line lists %v, the service %v", list, page)
	}

	r := command(t, append([]string{"events", "list", "--workspace", workspace, "--type", "room.created", "--json"}, at(where)...)...)
	told := strings.Split(strings.TrimSpace(r.stdout), "\n")
	if len(told) != 4 {
		t.Fatalf("the events are %s", r.stdout)
	}
	var e map[string]any
	if err := json.Unmarshal([]byte(told[0]), &e); err != nil {
		t.Fatal(err)
	}
	wantShape(t, "an event", e, "id type workspace_id created_at data")
	r = command(t, append([]string{"events", "list", "--after", e["id"].(string)}, at(where)...)...)
	if n := strings.Count(r.stdout, "\n"); n != 3 {
		t.Errorf("%d events come after the first, want 3: %s", n, r.stdout)
	}
}

func checkMembers(t *testing.T, p *process, where db.Config, workspace string) {
	t.Helper()
	var role, member, k map[string]any
	administrate(t, where, &role, "roles", "create", "--workspace", workspace, "--name", "integrator", "--rights", "manage_keys,manage_rooms")
	wantShape(t, "a role", role, "id name manage_keys manage_rooms")
	administrate(t, where, &member, "members", "add", "--workspace", workspace, "--email", "bob@acme.example", "--role", "integrator")
	wantShape(t, "a member", member, "account_id email role created_at invitation_url invitation_expires_at invitation_mailed")
	if made := fmt.Sprint(member["created_at"]); len(made) != len("2026-11-20T10:00:00.000Z") {
		t.Errorf("a member was made at %s, want milliseconds", made)
	}
	checkInvitation(t, p, where, member)
	administrate(t, where, &k, "keys", "create", "--workspace", workspace, "--scopes", "all", "--created-by", "bob@acme.example")
	key := k["key"].(string)
	p.get("/api/v1/me", key, &map[string]any{})
	var list map[string]any
	administrate(t, where, &list, "members", "list", "--workspace", workspace)
	if len(list["data"].([]any)) != 2 {
		t.Errorf("the members are %v", list)
	}
	var removed map[string]any
	administrate(t, where, &removed, "members", "remove", "--workspace", workspace, "--email", "bob@acme.example")
	soonRefused(t, p, key, api.CodeAPIKeyInactive)
	administrate(t, where, &member, "members", "add", "--workspace", workspace, "--email", "bob@acme.example", "--role", "admin")
	p.get("/api/v1/me", key, &map[string]any{})
	checkAddedAgain(t, where, workspace, member)
}

// checkAddedAgain adds a member once more without saying a role, as for a new
// invitation: nothing about the member changes.
func checkAddedAgain(t *testing.T, where db.Config, workspace string, member map[string]any) {
	t.Helper()
	var again, list map[string]any
	administrate(t, where, &again, "members", "add", "--workspace", workspace, "--email", "bob@acme.example")
	administrate(t, where, &list, "members", "list", "--workspace", workspace)
	listed := list["data"].([]any)[1].(map[string]any)
	for _, field := range []string{"role", "created_at"} {
		if again[field] != member[field] || listed[field] != member[field] {
			t.Errorf("%s is %v, then %v, and in the list %v", field, member[field], again[field], listed[field])
		}
	}
}

// A command that cannot work is refused in a sentence that names the cause, before
// anything is changed.
func TestRefusals(t *testing.T) {
	t.Parallel()
	where := dbtest.Config(t, db.SQLite)
	workspace, _ := newKey(t, where)
	const nobody = "0192f3a1-7c3e-7d3a-9a41-3b6f0e5d2c11"
	for _, c := range []struct {
		args   []string
		status int
		says   string
	}{
		{[]string{"keys", "create", "--workspace", nobody, "--scopes", "all"}, 1, "There is no workspace with this id"},
		{[]string{"keys", "create", "--workspace", workspace, "--scopes", "rooms:fly"}, 1, "rooms:fly"},
		{[]string{"keys", "create", "--workspace", workspace, "--scopes", "all", "--expires", "30", "--expires-at", "2099-01-01T00:00:00Z"}, 1, "not both"},
		{[]string{"keys", "create", "--workspace", workspace, "--scopes", "all", "--expires-at", "2001-01-01T00:00:00Z"}, 1, "future"},
		{[]string{"keys", "create", "--workspace", workspace, "--scopes", "all", "--expires-at", "0001-01-01T00:00:00Z"}, 1, "future"},
		{[]string{"keys", "create", "--workspace", workspace, "--scopes", "all", "--expires", "30", "--expires-at", "0001-01-01T00:00:00Z"}, 1, "not both"},
		{[]string{"keys", "create", "--workspace", workspace, "--scopes", "all", "--expires", "0", "--expires-at", "2099-01-01T00:00:00Z"}, 1, "not both"},
		{[]string{"keys", "create", "--workspace", workspace, "--scopes", "all", "--expires", "31"}, 2, "--expires"},
		{[]string{"keys", "create", "--workspace", workspace, "--scopes", "nonsense,all"}, 1, "--scopes"},
		{[]string{"keys", "create", "--workspace", workspace, "--scopes", "all,rooms:read"}, 1, "--scopes"},
		{[]string{"keys", "create", "--workspace", workspace, "--scopes", "all", "--created-by", ""}, 1, "--created-by"},
		{[]string{"keys", "create", "--workspace", workspace, "--scopes", "all", "--created-by", " "}, 1, "--created-by"},
		{[]string{"keys", "create", "--workspace", workspace, "--scopes", "all", "--environment", "staging"}, 2, "--environment"},
		{[]string{"keys", "create", "--workspace", workspace, "--scopes", "all", "--created-by", "eve@example.com"}, 1, "owners, admins"},
		{[]string{"keys", "create", "--workspace", workspace}, 2, "--scopes"},
		{[]string{"keys", "revoke", nobody}, 1, "There is no key with this id"},
		{[]string{"rooms", "create", "--workspace", workspace, "--name", strings.Repeat("x", 81)}, 1, "name must be 1 to 80 characters long."},
		{[]string{"rooms", "create", "--workspace", workspace, "--name", "x", "--type", "stage"}, 2, "--type"},
		{[]string{"events", "list", "--workspace", nobody}, 1, "There is no workspace with this id"},
		{[]string{"events", "tail", "--workspace", nobody}, 1, "There is no workspace with this id"},
		{[]string{"rooms", "list", "--workspace", nobody}, 1, "There is no workspace with this id"},
		{[]string{"rooms", "list", "--workspace", workspace, "--limit", "101"}, 1, "--limit"},
		{[]string{"rooms", "list", "--workspace", workspace, "--starting-after", "nope"}, 1, "--starting-after must be the id of a room"},
		{[]string{"recordings", "list", "--workspace", workspace, "--starting-after", "nope"}, 1, "--starting-after must be the id of a recording"},
		{[]string{"webhooks", "listen", "--workspace", workspace, "--forward-to", "http://localhost:1", "--events", "*,room.created"}, 1, "--events must be * alone, or name types."},
		{[]string{"members", "remove", "--workspace", workspace, "--email", "owner@acme.example"}, 1, "only owner"},
		{[]string{"workspaces", "create", "--name", "x", "--owner", "nobody"}, 1, "e-mail address"},
		{[]string{"workspaces", "list", "--database-url", "mysql://localhost/x"}, 1, "--database-url"},
	} {
		args := append(slices.Clone(c.args), "--data", where.Dir)
		r := command(t, args...)
		if r.status != c.status || !strings.Contains(r.stderr, c.says) || r.stdout != "" || strings.Count(r.stderr, "\n") != 1 {
			t.Errorf("conclave %v: status %d, %q and %q; want status %d and a sentence with %q", c.args, r.status, r.stdout, r.stderr, c.status, c.says)
		}
	}
}

// The command line prints the document that the API serves.
func TestOpenAPI(t *testing.T) {
	t.Parallel()
	r := command(t, "openapi", "--public-url", "https://meet.example.com")
	var document map[string]any
	if err := json.Unmarshal([]byte(r.stdout), &document); err != nil || r.status != 0 || document["openapi"] != "3.1.0" {
		t.Errorf("status %d, %v: %.200s", r.status, err, r.stdout)
	}
}

// The document has the address that serve would have: spelled as browsers spell it, or
// refused.
func TestOpenAPISpellsTheAddress(t *testing.T) {
	t.Parallel()
	for _, given := range []string{"https://Meet.Example.com/", "https://meet.example.com:443"} {
		want := command(t, "openapi", "--public-url", "https://meet.example.com")
		for _, r := range []result{command(t, "openapi", "--public-url", given), commandIn(t, []string{"CONCLAVE_PUBLIC_URL=" + given}, "openapi")} {
			if r != want {
				t.Errorf("%s: status %d, %s", given, r.status, r.stderr)
			}
		}
	}
	for _, given := range []string{"https://x.example/base", "x.example", "ftp://x.example", "https://user:password@x.example"} {
		for _, r := range []result{command(t, "openapi", "--public-url", given), commandIn(t, []string{"CONCLAVE_PUBLIC_URL=" + given}, "openapi")} {
			if r.status != 1 || r.stdout != "" || !strings.HasPrefix(r.stderr, "conclave: --public-url must be an address") || strings.Count(r.stderr, "\n") != 1 {
				t.Errorf("%s: status %d, %.200s and %.200s; want one line about --public-url", given, r.status, r.stdout, r.stderr)
			}
		}
	}
	if r := command(t, "openapi", "--public-url", ""); r != command(t, "openapi") || r.status != 0 {
		t.Errorf("without an address: status %d, %.200s", r.status, r.stderr)
	}
}
