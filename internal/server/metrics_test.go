package server_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/db/dbtest"
	"github.com/conclave-rooms/conclave/internal/server/servertest"
)

// Words that callers invent make no series: otherwise a stranger could fill the
// memory of the service and of what reads its metrics.
func TestCallersMakeNoSeries(t *testing.T) {
	t.Parallel()
	h := servertest.Start(t, dbtest.Config(t, db.SQLite), servertest.Options{}).Handler()
	ask := func(method, path string) *httptest.ResponseRecorder {
		r := httptest.NewRequestWithContext(t.Context(), method, "http://localhost"+path, http.NoBody)
		r.RemoteAddr = "127.0.0.1:1"
		answer := httptest.NewRecorder()
		h.ServeHTTP(answer, r)
		return answer
	}
	series := func() map[string]bool {
		found := map[string]bool{}
		for line := range strings.SplitSeq(ask(http.MethodGet, "/metrics").Body.String(), "\n") {
			if strings.HasPrefix(line, "conclave_") {
				found[line[:strings.LastIndexByte(line, ' ')]] = true
			}
		}
		return found
	}
	makeUp := func(i int) {
		for _, prefix := range []string{"/api/v1", "/meet/v1", "/account/v1"} {
			ask(fmt.Sprintf("BREW%d", i), fmt.Sprintf("%s/session", prefix))
			ask(fmt.Sprintf("BREW%d", i), fmt.Sprintf("%s/made-up-%d", prefix, i))
			ask(http.MethodGet, fmt.Sprintf("%s/made-up-%d", prefix, i))
			ask(http.MethodGet, fmt.Sprintf("%s/rooms/made-up-%d", prefix, i))
			ask(http.MethodDelete, fmt.Sprintf("%s/people/made-up-%d", prefix, i))
		}
		ask(fmt.Sprintf("BREW%d", i), fmt.Sprintf("/made-up-%d", i))
		ask(http.MethodGet, fmt.Sprintf("/rtc/made-up-%d", i))
	}
	makeUp(0)
	before := series()
	if len(before) == 0 {
		t.Fatal("there are no metrics")
	}
	for i := range 100 {
		makeUp(i + 1)
	}
	for name := range series() {
		if !before[name] {
			t.Errorf("a new series: %s", name)
		}
		if strings.Contains(name, "made-up") || strings.Contains(name, "BREW") {
			t.Errorf("a caller's word: %s", name)
		}
	}
}
