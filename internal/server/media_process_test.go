package server_test

import (
	"context"
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/config"
	"github.com/conclave-rooms/conclave/internal/media/mediaclient"
	"github.com/conclave-rooms/conclave/internal/server"
)

// mediaProcesses are the processes of the media server so far, by the log.
func (r *running) mediaProcesses() (all []string) {
	for _, m := range regexp.MustCompile(`the media server runs" process=(\d+)`).FindAllStringSubmatch(r.book.String(), -1) {
		all = append(all, m[1])
	}
	return all
}

// endMedia kills the media server's process, and waits for the next one.
func (r *running) endMedia(t *testing.T) {
	t.Helper()
	before := r.mediaProcesses()
	r.killMedia(t, before[len(before)-1])
	r.within(t, patience, "the media server is back", func() bool { return len(r.mediaProcesses()) > len(before) })
}

// killMedia kills the media server's process.
func (r *running) killMedia(t *testing.T, process string) {
	t.Helper()
	pid, err := strconv.Atoi(process)
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
}

// The metrics say that the media server is down, and how often it was started again.
func TestTheMetricsOfAMediaServerThatEnds(t *testing.T) {
	t.Parallel()
	r := start(t)
	r.join(t, r.token(t, r.room(t, nil), "Ada", "host"))
	shows(t, r.service.Handler(), "conclave_media_up 1", "conclave_media_restarts_total 0")
	// When the media server is back before the metrics are read, it is killed again.
	kills, seen := 0, false
	for ; kills < 5 && !seen; kills++ {
		before := r.mediaProcesses()
		r.killMedia(t, before[len(before)-1])
		for !seen && len(r.mediaProcesses()) == len(before) {
			seen = metricsOf(t, r.service.Handler())["conclave_media_up"] == 0
		}
	}
	if !seen {
		t.Fatal("the metrics never said that the media server was down")
	}
	r.within(t, patience, "the media server is back", func() bool {
		return metricsOf(t, r.service.Handler())["conclave_media_up"] == 1
	})
	shows(t, r.service.Handler(), fmt.Sprintf("conclave_media_restarts_total %d", kills))
}

// asks asks the gate, from an address, whether a person may come in.
func (r *running) asks(t *testing.T, token api.RoomToken, from string) *http.Response {
	t.Helper()
	req, err := http.NewRequestWithContext(limited(t), http.MethodGet, r.url+"/rtc/validate", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+token.Token)
	req.Header.Set("X-Forwarded-For", from)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	_ = res.Body.Close()
	return res
}

// The media server crashes twice shortly after Eve came in. Eve has to wait,
// and so do newcomers from her address. Ada, who was there before, can come
// back each time, and so can people from other addresses. The clock stands still
// in between: on a busy machine, connecting takes longer than Eve has to wait.
func TestPeopleWhoPrecedeCrashesAreKeptOut(t *testing.T) {
	t.Parallel()
	var ahead atomic.Int64
	began := time.Now()
	r := startAs(t, server.Options{Now: func() time.Time { return began.Add(time.Duration(ahead.Load())) }},
		func(c *config.Serve) { c.TrustedProxy = []string{"127.0.0.1/32"} })
	room := r.room(t, nil)
	adaToken, eveToken, newToken := r.token(t, room, "Ada", "host"), r.token(t, room, "Eve", "participant"), r.token(t, room, "New", "participant")
	ada := r.join(t, adaToken)
	r.within(t, patience, "Ada is in", func() bool { return len(r.people(t, room)) == 1 })
	ahead.Add(int64(30 * time.Second)) // longer than the second crash looks back
	for range 2 {
		eve := r.join(t, eveToken)
		r.endMedia(t)
		eve.Disconnect()
		ada.Disconnect() // or her lost connection would resume the new one
		ada = r.join(t, adaToken)
	}
	const here, elsewhere = "127.0.0.1", "192.0.2.7"
	for _, tt := range []struct {
		name, from string
		token      api.RoomToken
		status     int
	}{
		{"Eve", here, eveToken, http.StatusTooManyRequests},
		{"Eve from elsewhere", elsewhere, eveToken, http.StatusTooManyRequests},
		{"somebody new from her address", here, newToken, http.StatusTooManyRequests},
		{"somebody new from elsewhere", elsewhere, newToken, http.StatusOK},
		{"Ada", here, adaToken, http.StatusOK},
	} {
		res := r.asks(t, tt.token, tt.from)
		wait, _ := strconv.Atoi(res.Header.Get("Retry-After"))
		if res.StatusCode != tt.status || (tt.status == http.StatusTooManyRequests) != (wait >= 1 && wait <= 10) {
			t.Errorf("%s: status %d, Retry-After %d; want %d", tt.name, res.StatusCode, wait, tt.status)
		}
	}
	ctx, cancel := context.WithTimeout(limited(t), 10*time.Second)
	defer cancel()
	_, err := mediaclient.Connect(ctx, mediaclient.Options{URL: eveToken.ServerURL, Token: eveToken.Token, Passphrase: eveToken.E2EEPassphrase})
	if err == nil || !strings.Contains(err.Error(), "429") || !strings.Contains(err.Error(), "Try again in") {
		t.Errorf("Eve's connection is answered: %v", err)
	}
	if !strings.Contains(r.book.String(), `level=WARN msg="somebody came in, or announced a track, shortly before the media server ended" identity=`+eveToken.Identity) {
		t.Error("the log does not name Eve")
	}
	if strings.Contains(r.book.String(), `before the media server ended" identity=`+adaToken.Identity) {
		t.Error("the log names Ada")
	}
	ahead.Add(int64(11 * time.Second))
	if res := r.asks(t, eveToken, here); res.StatusCode != http.StatusOK {
		t.Errorf("when her time is over Eve is answered %d", res.StatusCode)
	}
}
