package main_test

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/ecdh"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/conclave-rooms/conclave/api"
	client "github.com/conclave-rooms/conclave/client/recording"
	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/db/dbtest"
	"github.com/conclave-rooms/conclave/internal/server/servertest"
)

// studio is a service in which recordings are made without a camera.
type studio struct {
	*servertest.Service

	t   *testing.T
	key string // an API key
}

// ask sends a request and decodes the answer.
func (s studio) ask(r servertest.Request, out any) {
	s.t.Helper()
	a := s.Send(r)
	if err := json.Unmarshal(a.Body, out); err != nil || a.Status/100 != 2 {
		s.t.Fatalf("%s %s: %d %s", r.Method, r.Path, a.Status, a.Body)
	}
	s.Settle()
}

func (s studio) post(bearer, path, body string, out any) {
	s.t.Helper()
	s.ask(servertest.Request{Method: http.MethodPost, Path: path, Bearer: bearer, Body: body}, out)
}

// record makes a recording with some parts in a new room, and returns the ids
// of both. Its key is aKey, whether or not the service gets it.
func (s studio) record(protection string, parts ...string) (room, recording string) {
	s.t.Helper()
	var made api.Room
	s.post(s.key, "/api/v1/rooms", `{"name": "Weekly", "settings": {"recordings": "`+protection+`"}}`, &made)
	var token struct{ Token string }
	s.post(s.key, "/api/v1/rooms/"+made.ID+"/tokens", `{"name": "Grace", "role": "host"}`, &token)
	var seat struct{ Ticket string }
	s.post("", "/meet/v1/tickets", fmt.Sprintf(`{"token": %q}`, token.Token), &seat)
	upstream, _, err := s.Joins.LetThrough(s.t.Context(), token.Token)
	if err == nil {
		_, err = s.Media.Connect(upstream)
	}
	if err != nil {
		s.t.Fatal(err)
	}
	s.Settle()
	var started struct {
		ID     string
		Secret string `json:"upload_secret"`
	}
	body := `{"mime_type": "video/mp4", "key": "` + aKey + `"}`
	if protection == "end_to_end" {
		body = `{"mime_type": "video/mp4"}`
	}
	s.post(seat.Ticket, "/meet/v1/recordings", body, &started)
	for i, plain := range parts {
		path := fmt.Sprintf("/meet/v1/recordings/%s/parts/%d?ends_ms=%d", started.ID, i, (i+1)*10000)
		sealed := sealPart(s.t, started.ID, i, plain)
		s.ask(servertest.Bytes(http.MethodPut, path, started.Secret, sealed), &struct{}{})
	}
	s.post(started.Secret, "/meet/v1/recordings/"+started.ID+"/finish", fmt.Sprintf(`{"parts": %d}`, len(parts)), &struct{}{})
	return made.ID, started.ID
}

func sealPart(t *testing.T, recording string, index int, plain string) string {
	t.Helper()
	raw, err := base64.RawURLEncoding.DecodeString(aKey)
	if err != nil {
		t.Fatal(err)
	}
	block, err := aes.NewCipher(raw)
	if err != nil {
		t.Fatal(err)
	}
	gcm, err := cipher.NewGCM(block)
	if err != nil {
		t.Fatal(err)
	}
	iv := bytes.Repeat([]byte{byte(index)}, gcm.NonceSize())
	return string(gcm.Seal(iv, iv, []byte(plain), fmt.Appendf(nil, "service-recording:%s:%d", recording, index)))
}

const aKey = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8"

// Operators list recordings and download them while the service runs.
func TestRecordingsCommands(t *testing.T) {
	t.Parallel()
	dbtest.EachConfig(t, func(t *testing.T, where db.Config) {
		service := servertest.Start(t, where, servertest.Options{})
		workspace := service.Workspace("acme", "owner@acme.example")
		s := studio{Service: service, t: t, key: service.Key(workspace, api.Scopes()...)}
		room, id := s.record("workspace", "the first part, ", "the second, ", "and the third")
		_, other := s.record("workspace", "of another room")

		var list api.List[api.Recording]
		administrate(t, where, &list, "recordings", "list", "--workspace", workspace)
		if len(list.Data) != 2 || list.Data[0].ID != other || list.Data[1].ID != id || list.Data[1].Parts != 3 || list.Data[1].Status != "ready" {
			t.Errorf("the recordings are %+v", list.Data)
		}
		administrate(t, where, &list, "recordings", "list", "--workspace", workspace, "--room", room)
		if len(list.Data) != 1 || list.Data[0].ID != id {
			t.Errorf("the recordings of the room are %+v", list.Data)
		}
		if r := command(t, append([]string{"recordings", "list", "--workspace", workspace}, at(where)...)...); !strings.Contains(r.stdout, id) || !strings.Contains(r.stdout, "30s") {
			t.Errorf("the table is\n%s", r.stdout)
		}

		path := filepath.Join(t.TempDir(), "meeting.mp4")
		r := command(t, append([]string{"recordings", "download", id, "-o", path}, at(where)...)...)
		file, err := os.ReadFile(path)
		if err != nil || r.status != 0 || string(file) != "the first part, the second, and the third" {
			t.Errorf("the file holds %q, %v; the command says %s%s", file, err, r.stdout, r.stderr)
		}
		if !strings.Contains(r.stderr, "3 of 3 parts, 100 %") {
			t.Errorf("the command reports its progress as %q", r.stderr)
		}
		s.checkPackage(id)
		s.checkRefusals(where, id)
		s.checkEndToEnd(where)
	})
}

// RoundTrip connects a customer's program to the service.
func (s studio) RoundTrip(r *http.Request) (*http.Response, error) {
	a := s.Send(servertest.Request{Method: r.Method, Path: r.URL.Path, Bearer: strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")})
	return &http.Response{StatusCode: a.Status, Header: a.Header, Body: io.NopCloser(bytes.NewReader(a.Body)), Request: r}, nil
}

// checkPackage reads the recording with the package for customers' programs.
func (s studio) checkPackage(id string) {
	s.t.Helper()
	customer := client.Client{BaseURL: "https://meet.example.com", Key: s.key, HTTP: &http.Client{Transport: s}}
	r, err := customer.Open(s.t.Context(), id)
	if err != nil {
		s.t.Fatal(err)
	}
	file, err := io.ReadAll(r)
	if err != nil || string(file) != "the first part, the second, and the third" || r.Size != int64(len(file)) || r.MIMEType != "video/mp4" {
		s.t.Errorf("the package reads %q, %v: %d bytes of %s", file, err, r.Size, r.MIMEType)
	}
	if _, err := customer.Open(s.t.Context(), "0192f3a1-7c3e-7d3a-9a41-3b6f0e5d2c11"); !refusedWith(err, api.CodeNotFound) {
		s.t.Errorf("a recording that does not exist: %v", err)
	}
}

func refusedWith(err error, code string) bool {
	refusal, refused := errors.AsType[*client.RefusedError](err)
	return refused && refusal.Code == code
}

// checkEndToEnd downloads a recording that only members' devices can open.
func (s studio) checkEndToEnd(where db.Config) {
	s.t.Helper()
	device, err := ecdh.P256().GenerateKey(rand.Reader)
	if err != nil {
		s.t.Fatal(err)
	}
	point := base64.RawURLEncoding.EncodeToString(device.PublicKey().Bytes())
	cookie := http.Header{"Cookie": {signedIn(s.t, s.Service, "owner@acme.example")}}
	body := fmt.Sprintf(`{"name": "Chrome on Linux", "public_key": %q}`, point)
	s.ask(servertest.Request{Method: http.MethodPost, Path: "/account/v1/devices", Body: body, Header: cookie}, &struct{}{})
	_, id := s.record("end_to_end", "for members only")
	path := filepath.Join(s.t.TempDir(), "meeting.mp4")
	r := command(s.t, append([]string{"recordings", "download", id, "-o", path}, at(where)...)...)
	if _, err := os.Stat(path); r.status != 1 || !strings.Contains(r.stderr, "only their devices can open it") || !errors.Is(err, fs.ErrNotExist) {
		s.t.Errorf("status %d, %q; the file: %v", r.status, r.stderr, err)
	}
}

// checkRefusals downloads what cannot be downloaded: the command says why, and
// leaves no file.
func (s studio) checkRefusals(where db.Config, id string) {
	s.t.Helper()
	fails := func(id, want string) {
		s.t.Helper()
		dir := s.t.TempDir()
		r := command(s.t, append([]string{"recordings", "download", id, "-o", filepath.Join(dir, "meeting.mp4")}, at(where)...)...)
		if r.status != 1 || !strings.Contains(r.stderr, want) {
			s.t.Errorf("status %d, %q; want 1 and %q", r.status, r.stderr, want)
		}
		if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
			s.t.Errorf("the command leaves files behind: %v, %v", left, err)
		}
	}
	fails("nothing", "There is no recording with this id")
	fails("0192f3a1-7c3e-7d3a-9a41-3b6f0e5d2c11", "There is no recording with this id")
	stored := s.storedPart(where, "the second, ")
	sealed, err := os.ReadFile(stored)
	if err != nil {
		s.t.Fatal(err)
	}
	sealed[len(sealed)-1] ^= 1
	if err := os.WriteFile(stored, sealed, 0o600); err != nil {
		s.t.Fatal(err)
	}
	fails(id, "part 1 of the recording is damaged")
	if err := os.Remove(stored); err != nil {
		s.t.Fatal(err)
	}
	fails(id, "part 1 of the recording is missing")
	s.ask(servertest.Request{Method: http.MethodDelete, Path: "/api/v1/recordings/" + id, Bearer: s.key}, &struct{}{})
	fails(id, "There is no recording with this id")
}

// storedPart finds the file of the second part, by its size.
func (s studio) storedPart(where db.Config, plain string) (path string) {
	s.t.Helper()
	err := filepath.WalkDir(filepath.Join(where.Dir, "recordings"), func(at string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		if info, err := entry.Info(); err == nil && info.Size() == int64(len(plain)+28) {
			path = at
		}
		return nil
	})
	if err != nil || path == "" {
		s.t.Fatalf("no stored part holds %q: %v", plain, err)
	}
	return path
}
