package server_test

import (
	"encoding/base64"
	"encoding/json"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/config"
	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/db/dbtest"
	"github.com/conclave-rooms/conclave/internal/media/fake"
	"github.com/conclave-rooms/conclave/internal/server"
	"github.com/conclave-rooms/conclave/internal/server/servertest"
)

// masterKey makes a master key as an operator writes it.
func masterKey(n byte) string {
	return base64.StdEncoding.EncodeToString(append(make([]byte, 31), n))
}

// opens starts a service on data as New does and closes it again. It returns
// the error of a start that failed.
func opens(t *testing.T, where db.Config, keys string) string {
	t.Helper()
	s, err := server.New(t.Context(), config.Serve{
		Data:       config.Data{Data: where.Dir, DatabaseURL: where.URL, MasterKey: keys, PublicURL: servertest.PublicURL},
		RateLimits: "off", StopTimeout: time.Second,
	}, slog.New(slog.DiscardHandler), server.Options{Media: fake.New(time.Now)})
	if err != nil {
		return err.Error()
	}
	s.Close()
	return ""
}

func wantOpen(t *testing.T, where db.Config, keys string) {
	t.Helper()
	if sentence := opens(t, where, keys); sentence != "" {
		t.Errorf("the service does not start: %s", sentence)
	}
}

// wantRefused starts a service that must not start, and must not leave a file.
func wantRefused(t *testing.T, where db.Config, keys, sentence string) {
	t.Helper()
	got := opens(t, where, keys)
	if !strings.Contains(got, sentence) || !strings.Contains(got, "of the first node or of the backup") {
		t.Errorf("the start says %q, want %q and what to do", got, sentence)
	}
	if left, err := filepath.Glob(filepath.Join(where.Dir, "*master*")); err != nil || len(left) != 0 {
		t.Errorf("the refused start left %v (%v)", left, err)
	}
}

const (
	keyMissing = "master.key is missing"
	keyWrong   = "sealed with another master key than --master-key"
)

// withoutFile is the same database without the file of the first start, like
// the directory of a second node, or a backup that lacks the file.
func withoutFile(t *testing.T, where db.Config) db.Config {
	t.Helper()
	if where.URL != "" {
		where.Dir = t.TempDir()
	} else if err := os.Remove(filepath.Join(where.Dir, "master.key")); err != nil {
		t.Fatal(err)
	}
	return where
}

func TestANodeWithoutTheMasterKeyDoesNotStart(t *testing.T) {
	t.Parallel()
	dbtest.EachConfig(t, func(t *testing.T, where db.Config) {
		wantOpen(t, where, "")
		wantOpen(t, where, "") // makes the file
		file, err := os.ReadFile(filepath.Join(where.Dir, "master.key"))
		if err != nil {
			t.Fatal(err)
		}
		second := withoutFile(t, where)
		wantRefused(t, second, "", keyMissing)
		wantRefused(t, second, masterKey(1), keyWrong)
		wantOpen(t, second, string(file))
	})
}

// Keys are rotated by putting a new one before the old one. The old one alone
// does not open what the new one sealed.
func TestMasterKeysRotate(t *testing.T) {
	t.Parallel()
	dbtest.EachConfig(t, func(t *testing.T, where db.Config) {
		wantOpen(t, where, masterKey(1))
		wantOpen(t, where, masterKey(2)+","+masterKey(1))
		wantRefused(t, where, masterKey(1), keyWrong)
		wantRefused(t, where, masterKey(3), keyWrong)
		wantOpen(t, where, masterKey(3)+","+masterKey(2)+","+masterKey(1))
		wantOpen(t, where, masterKey(3))
	})
}

// The key of a database without the mark is recognised by its secrets. A
// database without secrets accepts any key.
func TestTheMasterKeyOfAnOlderDatabase(t *testing.T) {
	t.Parallel()
	dbtest.EachConfig(t, func(t *testing.T, where db.Config) {
		s := servertest.Start(t, where, servertest.Options{})
		key := s.Key(s.Workspace("acme", "owner@acme.example"), api.Scopes()...)
		forget := func() {
			t.Helper()
			d := dbtest.Open(t, where)
			defer d.Close()
			err := d.Write(t.Context(), func(tx *db.Tx) error {
				_, err := tx.Exec(t.Context(), `DELETE FROM published WHERE name = 'master_key'`)
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		// A room that was changed, but where nobody met, has nothing sealed.
		a := s.Send(servertest.Request{Method: "POST", Path: "/api/v1/rooms", Bearer: key, Body: `{"name": "Empty"}`})
		var room api.Room
		if err := json.Unmarshal(a.Body, &room); err != nil || a.Status != 201 {
			t.Fatalf("%d %s", a.Status, a.Body)
		}
		if a := s.Send(servertest.Request{Method: "PATCH", Path: "/api/v1/rooms/" + room.ID, Bearer: key, Body: `{"locked": true}`}); a.Status != 200 {
			t.Fatalf("%d %s", a.Status, a.Body)
		}
		forget()
		wantOpen(t, where, "")
		if a := s.Send(servertest.Request{Method: "POST", Path: "/api/v1/webhooks", Bearer: key, Body: `{"url": "https://hooks.example.com", "events": ["*"]}`}); a.Status != 201 {
			t.Fatalf("%d %s", a.Status, a.Body)
		}
		s.Stop()
		forget()
		file, err := os.ReadFile(filepath.Join(where.Dir, "master.key"))
		if err != nil {
			t.Fatal(err)
		}
		second := withoutFile(t, where)
		wantRefused(t, second, "", keyMissing)
		wantRefused(t, second, masterKey(1), keyWrong)
		wantOpen(t, second, masterKey(1)+","+string(file))
		wantOpen(t, second, masterKey(1)) // the mark is sealed with the first key
	})
}
