package main_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/db/dbtest"
)

// settingsFile writes a file for --config.
func settingsFile(t *testing.T, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "settings.json")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// The file names settings like the flags. A flag wins over the environment, the
// environment over the file. openapi prints the public address, which shows
// what won.
func TestFlagsWinOverTheEnvironmentAndTheFile(t *testing.T) {
	t.Parallel()
	file := settingsFile(t, `{"public-url": "https://file.example", "data": "ignored", "media-udp-port": 7000, "frame-ancestor": ["https://a.example"]}`)
	for _, c := range []struct {
		env, want string
		args      []string
	}{
		{"", "https://file.example", nil},
		{"https://env.example", "https://env.example", nil},
		{"https://env.example", "https://flag.example", []string{"--public-url", "https://flag.example"}},
	} {
		r := commandIn(t, []string{"CONCLAVE_PUBLIC_URL=" + c.env}, append([]string{"openapi", "--config", file}, c.args...)...)
		if r.status != 0 || !strings.Contains(r.stdout, c.want+"/api/v1") {
			t.Errorf("environment %q, flags %q: status %d, %s; want the address %s", c.env, c.args, r.status, r.stderr, c.want)
		}
	}
}

// Numbers and lists in the file reach serve, which refuses these by name.
func TestSettingsOfEveryKind(t *testing.T) {
	t.Parallel()
	for text, says := range map[string]string{
		`{"media-udp-port": 70000}`:                           "--media-udp-port must be a port, not 70000",
		`{"frame-ancestor": ["https://a.example", "nobody"]}`: `not "nobody"`,
		`{"trusted-proxy": "10.0.0.1"}`:                       `not "10.0.0.1"`,
		`{"stop-timeout": "0s"}`:                              "--stop-timeout",
		`{"public_url": "https://a.example", "colour": 1}`:    "settings that do not exist: colour, public_url",
		`{"listen": {"port": 8080}}`:                          "must be a string, a number, true, false or a list",
		`{"listen": null}`:                                    "must be a string, a number, true, false or a list",
		`{"listen": true}`:                                    `--listen must be an address with a port, such as :8080, not "true"`,
		`{"webhooks-allow-private": true, "listen": "9"}`:     `not "9"`,
		`{"webhooks-allow-private": false, "listen": "9"}`:    `not "9"`,
		`["listen"]`:          "not a JSON object",
		`{"listen": ":0"} {}`: "more than one JSON object",
		`{"listen": `:         "not a JSON object",
	} {
		r := command(t, "serve", "--config", settingsFile(t, text), "--data", t.TempDir())
		if r.status == 0 || !strings.Contains(r.stderr, says) {
			t.Errorf("%s: status %d, %s; want a sentence with %q", text, r.status, r.stderr, says)
		}
	}
}

// What every command takes is in the environment, too, and wins over the file.
func TestTheEnvironmentOfCommands(t *testing.T) {
	t.Parallel()
	where := dbtest.Config(t, db.SQLite)
	first, _ := newKey(t, where)
	second, _ := newKey(t, where)
	file := settingsFile(t, `{"workspace": "`+first+`", "name": "From the file", "json": false}`)
	env := []string{"CONCLAVE_WORKSPACE=" + second, "CONCLAVE_NAME=From the environment", "CONCLAVE_JSON=true", "CONCLAVE_DATA=" + where.Dir}
	r := commandIn(t, env, "rooms", "create", "--config", file)
	if r.status != 0 || !strings.HasPrefix(r.stdout, "{") || !strings.Contains(r.stdout, "From the environment") {
		t.Errorf("make a room: status %d, %s%s", r.status, r.stdout, r.stderr)
	}
	for workspace, rooms := range map[string]int{first: 0, second: 1} {
		var list api.List[map[string]any]
		administrate(t, where, &list, "rooms", "list", "--workspace", workspace)
		if len(list.Data) != rooms {
			t.Errorf("the workspace %s has %d rooms, want %d", workspace, len(list.Data), rooms)
		}
	}
}

// Some variables have another name besides the one of the flag.
func TestOtherNamesInTheEnvironment(t *testing.T) {
	t.Parallel()
	where := dbtest.Config(t, db.SQLite)
	workspace, _ := newKey(t, where)
	for _, name := range []string{"CONCLAVE_SECRET", "CONCLAVE_WEBHOOK_SECRET"} {
		r := commandIn(t, []string{name + "=wrong"}, append([]string{"webhooks", "listen", "--workspace", workspace, "--forward-to", "http://localhost:1"}, at(where)...)...)
		if r.status != 1 || !strings.Contains(r.stderr, "--secret must begin with whsec_") {
			t.Errorf("%s: status %d, %s", name, r.status, r.stderr)
		}
	}
	for _, name := range []string{"CONCLAVE_URL", "CONCLAVE_PUBLIC_URL"} {
		r := commandIn(t, []string{name + "=not-an-address"}, "load", "--key", "x")
		if r.status != 1 || !strings.Contains(r.stderr, "not-an-address") {
			t.Errorf("%s: status %d, %s", name, r.status, r.stderr)
		}
	}
	for _, name := range []string{"CONCLAVE_KEY", "CONCLAVE_API_KEY"} {
		r := commandIn(t, []string{name + "=x"}, "load", "--url", "not-an-address")
		if r.status != 1 || !strings.Contains(r.stderr, "not-an-address") {
			t.Errorf("%s: status %d, %s", name, r.status, r.stderr)
		}
	}
}
