package calendar

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"
)

// changes reports whether a request changes something.
func changes(r *http.Request) bool {
	return slices.Contains([]string{http.MethodPut, http.MethodPost, http.MethodPatch, http.MethodDelete}, r.Method)
}

// The person's event appears in the place after the client found it free.
func storyForeignBetween(t *testing.T, w *world) {
	w.interceptWrites(1, func(int) { w.PutForeign(t, testMeeting) })
	if _, err := w.calendar.Write(t.Context(), weekly(t)); errors.Is(err, ErrForeign) != w.Places() || err == nil == w.Places() {
		t.Errorf("written: %v", err)
	}
	foreign := slices.ContainsFunc(w.Events(t), func(s seen) bool { return s.Title == "Dentist" })
	if !foreign {
		t.Errorf("the event of the person is gone: %v", w.Events(t))
	}
}

// interceptWrites calls do before each of the first requests that write.
func (w *world) interceptWrites(times int, do func(n int)) {
	n := 0
	w.intercept(func(_ http.ResponseWriter, r *http.Request, _ http.Handler) bool {
		if changes(r) && n < times {
			n++
			do(n)
		}
		return false
	})
}

func storyRace(t *testing.T, w *world) {
	w.write(t, weekly(t))
	w.interceptWrites(1, func(int) { w.Rename(t, testMeeting, "Changed in between") })
	w.write(t, moved(t))
	w.holds(t, moved(t), "")
}

func storyDeleteRace(t *testing.T, w *world) {
	w.write(t, weekly(t))
	w.interceptWrites(1, func(int) { w.Rename(t, testMeeting, "Changed in between") })
	if err := w.calendar.Delete(t.Context(), testMeeting); err != nil {
		t.Errorf("delete: %v", err)
	}
	if events := w.Events(t); len(events) != 0 {
		t.Errorf("the calendar holds %v", events)
	}
}

func storyRestless(t *testing.T, w *world) {
	w.write(t, weekly(t))
	tries := 0
	w.interceptWrites(10, func(n int) {
		tries = n
		w.Rename(t, testMeeting, fmt.Sprintf("Title %d", n))
	})
	if _, err := w.calendar.Write(t.Context(), moved(t)); !errors.Is(err, ErrChanged) || tries != 2 {
		t.Errorf("after %d tries: %v", tries, err)
	}
}

// Another node writes the same entry between the client's reading and writing.
func storyTwice(t *testing.T, w *world) {
	intercepted := false
	w.intercept(func(_ http.ResponseWriter, r *http.Request, _ http.Handler) bool {
		if changes(r) && !intercepted {
			intercepted = true
			w.write(t, weekly(t))
		}
		return false
	})
	w.write(t, weekly(t))
	w.holds(t, weekly(t), w.Rule())
}

func storyLost(t *testing.T, w *world) {
	lost := 0
	w.intercept(func(rw http.ResponseWriter, r *http.Request, forward http.Handler) bool {
		if !changes(r) || lost > 0 {
			return false
		}
		lost++
		forward.ServeHTTP(httptest.NewRecorder(), r)
		conn, _, err := http.NewResponseController(rw).Hijack()
		if err != nil {
			t.Error(err)
			return true
		}
		_ = conn.Close()
		return true
	})
	_, err := w.calendar.Write(t.Context(), weekly(t))
	if lost != 1 {
		t.Fatalf("%d answers were lost", lost)
	}
	if err != nil { // unless a layer below our client repeated the request
		w.write(t, weekly(t))
	}
	w.holds(t, weekly(t), w.Rule())
}

// answerAlways gives every request of a kind the same answer.
func (w *world) answerAlways(of func(*http.Request) bool, status int, header map[string]string) {
	w.intercept(func(rw http.ResponseWriter, r *http.Request, _ http.Handler) bool {
		if !of(r) {
			return false
		}
		for name, value := range header {
			rw.Header().Set(name, value)
		}
		rw.WriteHeader(status)
		return true
	})
}

// notTokens selects the requests about the calendar itself.
func notTokens(r *http.Request) bool { return !strings.HasSuffix(r.URL.Path, "/token") }

// each calls every method of a calendar.
func (w *world) each(t *testing.T, check func(doing string, err error)) {
	t.Helper()
	_, err := w.calendar.Write(t.Context(), weekly(t))
	check("write", err)
	check("delete", w.calendar.Delete(t.Context(), testMeeting))
	check("check", w.calendar.Check(t.Context()))
}

func storyRevoked(t *testing.T, w *world) {
	w.write(t, weekly(t))
	for _, of := range []func(*http.Request) bool{notTokens, changes} {
		for _, status := range []int{http.StatusUnauthorized, http.StatusForbidden} {
			w.answerAlways(func(r *http.Request) bool { return notTokens(r) && of(r) }, status, nil)
			if _, err := w.calendar.Write(t.Context(), weekly(t)); !errors.Is(err, ErrRevoked) {
				t.Errorf("write, after %d: %v", status, err)
			}
			if err := w.calendar.Delete(t.Context(), testMeeting); !errors.Is(err, ErrRevoked) {
				t.Errorf("delete, after %d: %v", status, err)
			}
		}
	}
	w.answerAlways(notTokens, http.StatusUnauthorized, nil)
	if err := w.calendar.Check(t.Context()); !errors.Is(err, ErrRevoked) {
		t.Errorf("check: %v", err)
	}
}

func storyBusy(t *testing.T, w *world) {
	for _, s := range []struct {
		status int
		header map[string]string
		after  time.Duration
	}{
		{http.StatusTooManyRequests, map[string]string{"Retry-After": "30"}, 30 * time.Second},
		{http.StatusServiceUnavailable, map[string]string{"Retry-After": testNow().Add(time.Hour).Format(http.TimeFormat)}, time.Hour},
		{http.StatusTooManyRequests, nil, 0},
	} {
		w.answerAlways(notTokens, s.status, s.header)
		w.each(t, func(doing string, err error) {
			busy, ok := errors.AsType[*BusyError](err)
			if !ok || busy.After != s.after {
				t.Errorf("%s: %v, want %s", doing, err, s.after)
			}
		})
	}
}

func storyTrouble(t *testing.T, w *world) {
	for status, lasting := range map[int]bool{http.StatusInternalServerError: false, http.StatusBadGateway: false, http.StatusBadRequest: true} {
		w.answerAlways(notTokens, status, nil)
		w.each(t, func(doing string, err error) {
			answered, ok := errors.AsType[*AnswerError](err)
			if !ok || answered.Status != status || answered.Lasting() != lasting {
				t.Errorf("%s, after %d: %v", doing, status, err)
			}
		})
	}
}

func storyChecked(t *testing.T, w *world) {
	if err := w.calendar.Check(t.Context()); err != nil {
		t.Errorf("check: %v", err)
	}
	w.answerAlways(notTokens, http.StatusNotFound, nil)
	if err := w.calendar.Check(t.Context()); !errors.Is(err, ErrNoCalendar) {
		t.Errorf("check without a calendar: %v", err)
	}
	if events := w.Events(t); len(events) != 0 {
		t.Errorf("a check left %v", events)
	}
}
