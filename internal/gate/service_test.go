package gate_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/conclave-rooms/conclave/internal/media/mediaclient"
)

// A running service that TestNonsense attacks in place of a gate of its own.
// scripts/fuzz-media starts one without rate limits and sets these flags.
var (
	serviceAddress = flag.String("nonsense.service", "", "address of a running service to attack; default: a gate and media server of the test's own")
	serviceKey     = flag.String("nonsense.key", "", "API key of that service, with all scopes")
)

// service is a whole service in another process, and a room of it.
type service struct{ address, key, room string }

// against is the service that TestNonsense attacks.
func against(t *testing.T) *target {
	t.Helper()
	if *serviceAddress == "" {
		return newTarget(t)
	}
	s := &service{address: strings.TrimSuffix(*serviceAddress, "/"), key: *serviceKey}
	var room struct{ ID string }
	s.post(t, "/rooms", `{"name": "Nonsense"}`, &room)
	s.room = room.ID
	return begin(t, &target{url: "ws" + strings.TrimPrefix(s.address, "http"), service: s})
}

// options makes a new media token each time, because earlier ones expire while
// the test runs.
func (s *service) options(t *testing.T, name string) mediaclient.Options {
	t.Helper()
	var token struct {
		Token      string `json:"token"`
		Passphrase string `json:"e2ee_passphrase"`
	}
	s.post(t, "/rooms/"+s.room+"/tokens", fmt.Sprintf(`{"name": %q, "user_id": %q}`, name, name), &token)
	return mediaclient.Options{URL: "ws" + strings.TrimPrefix(s.address, "http"), Token: token.Token, Passphrase: token.Passphrase}
}

func (s *service) post(t *testing.T, path, body string, into any) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.address+"/api/v1"+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+s.key)
	r.Header.Set("Content-Type", "application/json")
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatalf("the service does not answer: %v", err)
	}
	defer func() { _ = res.Body.Close() }()
	text, err := io.ReadAll(res.Body)
	if err == nil && res.StatusCode != http.StatusCreated {
		err = errors.New(string(text))
	}
	if err == nil {
		err = json.Unmarshal(text, into)
	}
	if err != nil {
		t.Fatalf("POST %s: %v", path, err)
	}
}

// restarts returns the line of the metrics that counts restarts of the media
// server.
func (s *service) restarts(ctx context.Context) (string, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, s.address+"/metrics", http.NoBody)
	if err != nil {
		return "", err
	}
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		return "", err
	}
	defer func() { _ = res.Body.Close() }()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		return "", err
	}
	for line := range bytes.Lines(text) {
		if bytes.HasPrefix(line, []byte("conclave_media_restarts_total ")) {
			return string(line), nil
		}
	}
	return "", errors.New("the service shows no count of restarts")
}
