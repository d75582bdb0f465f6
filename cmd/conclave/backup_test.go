package main_test

import (
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/db/dbtest"
	"github.com/conclave-rooms/conclave/internal/server/servertest"
)

// A backup that was made while the service runs becomes a service with the same
// rooms, keys and recordings.
func TestBackupAndRestore(t *testing.T) {
	t.Parallel()
	for _, engine := range []db.Engine{db.SQLite, db.PostgreSQL} {
		t.Run(string(engine), func(t *testing.T) {
			t.Parallel()
			where := dbtest.Config(t, engine)
			service := servertest.Start(t, where, servertest.Options{})
			workspace := service.Workspace("acme", "owner@acme.example")
			s := studio{Service: service, t: t, key: service.Key(workspace, api.Scopes()...)}
			room, recording := s.record("workspace", "the first part, ", "the second")

			copied := filepath.Join(t.TempDir(), "backup")
			mustRun(t, append([]string{"backup", copied}, at(where)...)...)
			s.post(s.key, "/api/v1/rooms", `{"name": "Made after the backup"}`, &api.Room{})
			checkPrivate(t, copied)

			// The data directory may exist, as long as it is empty.
			again := dbtest.Empty(t, engine)
			mustRun(t, append([]string{"restore", copied}, at(again)...)...)
			if r := command(t, append([]string{"restore", copied}, at(again)...)...); r.status != 1 || !strings.Contains(r.stderr, "is not empty") {
				t.Errorf("restoring over data: status %d, %s", r.status, r.stderr)
			}

			restored := start(t, "serve", again)
			var rooms api.List[api.Room]
			restored.get("/api/v1/rooms", s.key, &rooms)
			if len(rooms.Data) != 1 || rooms.Data[0].ID != room {
				t.Errorf("the restored service has the rooms %+v", rooms.Data)
			}
			file := filepath.Join(t.TempDir(), "meeting.mp4")
			mustRun(t, append([]string{"recordings", "download", recording, "-o", file}, at(again)...)...)
			if content, err := os.ReadFile(file); err != nil || string(content) != "the first part, the second" {
				t.Errorf("the restored recording holds %q, %v", content, err)
			}
			if status, body := restored.call(http.MethodPost, "/api/v1/rooms", s.key, `{"name": "Made after restoring"}`); status != http.StatusCreated {
				t.Errorf("making a room in the restored service: %d %s", status, body)
			}
		})
	}
}

// A session that is in a backup works in the restored service, unless restoring
// ends it. The person signs in again, with the password of the backup.
func TestRestoreSignsEverybodyOut(t *testing.T) {
	t.Parallel()
	for _, engine := range []db.Engine{db.SQLite, db.PostgreSQL} {
		t.Run(string(engine), func(t *testing.T) {
			t.Parallel()
			where := dbtest.Config(t, engine)
			service := servertest.Start(t, where, servertest.Options{})
			workspace := service.Workspace("acme", "ada@acme.example")
			session := service.SignIn("ada@acme.example", "Ada")
			copied := filepath.Join(t.TempDir(), "backup")
			mustRun(t, append([]string{"backup", copied}, at(where)...)...)
			for _, c := range []struct {
				args   []string
				says   string
				status int
			}{
				{nil, "", http.StatusOK},
				{[]string{"--sign-out"}, "Browser sessions that were ended: 1.", http.StatusUnauthorized},
				{[]string{"--sign-out", "--json"}, `"sessions_ended":1}`, http.StatusUnauthorized},
			} {
				again := dbtest.Empty(t, engine)
				r := command(t, slices.Concat([]string{"restore", copied}, c.args, at(again))...)
				if r.status != 0 || !strings.Contains(r.stdout, c.says) {
					t.Errorf("restore %v: status %d, %s%s, want %q", c.args, r.status, r.stdout, r.stderr, c.says)
				}
				restored := servertest.Start(t, again, servertest.Options{})
				answer := restored.Send(servertest.Request{Method: http.MethodGet, Path: "/api/v1/rooms", Header: servertest.InSession(session, workspace)})
				if answer.Status != c.status {
					t.Errorf("restore %v: the session of the backup gets %d, want %d", c.args, answer.Status, c.status)
				}
			}
		})
	}
}

// Nothing is restored from a backup that is incomplete or has changed.
func TestRestoreRefusesABackupThatIsNotWhole(t *testing.T) {
	t.Parallel()
	where := dbtest.Config(t, db.SQLite)
	servertest.Start(t, where, servertest.Options{})
	made := func() string {
		dir := filepath.Join(t.TempDir(), "backup")
		mustRun(t, append([]string{"backup", dir}, at(where)...)...)
		return dir
	}
	interrupted, damaged, other := made(), made(), made()
	if err := os.Remove(filepath.Join(interrupted, "backup.json")); err != nil {
		t.Fatal(err)
	}
	key := filepath.Join(damaged, "master.key")
	content, err := os.ReadFile(key)
	if err != nil {
		t.Fatal(err)
	}
	content[0] ^= 1
	if err := os.WriteFile(key, content, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ dir, url, says string }{
		{interrupted, "", "no complete backup"},
		{damaged, "", "master.key is not what it was"},
		{other, "postgres://127.0.0.1:1/none", "backup of SQLite"},
	} {
		target := filepath.Join(t.TempDir(), "data")
		args := []string{"restore", c.dir, "--data", target}
		if c.url != "" {
			args = append(args, "--database-url", c.url)
		}
		if r := command(t, args...); r.status != 1 || !strings.Contains(r.stderr, c.says) {
			t.Errorf("restoring %s: status %d, %s, want %q", c.dir, r.status, r.stderr, c.says)
		}
		if _, err := os.Stat(target); err == nil {
			t.Errorf("restoring %s left %s behind", c.dir, target)
		}
	}
}

// A backup needs data, and a directory of its own.
func TestBackupRefusals(t *testing.T) {
	t.Parallel()
	empty, full := t.TempDir(), t.TempDir()
	if err := os.WriteFile(filepath.Join(full, "letter.txt"), []byte("Dear Ada"), 0o600); err != nil {
		t.Fatal(err)
	}
	if r := command(t, "backup", filepath.Join(t.TempDir(), "backup"), "--data", empty); r.status != 1 || !strings.Contains(r.stderr, "holds no data of a service") {
		t.Errorf("a backup of nothing: status %d, %s", r.status, r.stderr)
	}
	if r := command(t, "backup", full, "--data", empty); r.status != 1 || !strings.Contains(r.stderr, "is not empty") {
		t.Errorf("a backup beside other files: status %d, %s", r.status, r.stderr)
	}
}

// mustRun runs a command that must succeed.
func mustRun(t *testing.T, args ...string) {
	t.Helper()
	if r := command(t, args...); r.status != 0 {
		t.Fatalf("conclave %v: status %d, %s", args, r.status, r.stderr)
	}
}

// checkPrivate checks that only this user can read what is in a directory.
func checkPrivate(t *testing.T, dir string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(name string, entry os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if err == nil && info.Mode().Perm()&0o077 != 0 {
			t.Errorf("others can read %s: %v", name, info.Mode())
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}
