package identity

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/db/dbtest"
	"github.com/conclave-rooms/conclave/internal/fault"
)

// One password per processor is hashed at a time, a bounded number wait, and the
// others are refused at once.
func TestHowManyPasswordsAreHashedAtATime(t *testing.T) {
	t.Parallel()
	var (
		h                  hashing
		running, most      atomic.Int32
		finished, refused  atomic.Int32
		processors         = runtime.GOMAXPROCS(0)
		waiting            = processors * hashesWaiting
		beyond             = 7
		release            = make(chan struct{})
		all, first, second sync.WaitGroup
	)
	hash := func() error {
		for n := running.Add(1); ; {
			before := most.Load()
			if n <= before || most.CompareAndSwap(before, n) {
				break
			}
		}
		<-release
		running.Add(-1)
		return nil
	}
	h.prepare()
	first.Add(processors + waiting)
	for range processors + waiting {
		all.Go(func() {
			first.Done()
			if err := h.do(t.Context(), hash); err != nil {
				t.Errorf("within the bounds: %v", err)
			}
			finished.Add(1)
		})
	}
	first.Wait()
	for len(h.crowd) < cap(h.crowd) { // until all of them wait
		runtime.Gosched()
	}
	for range beyond {
		second.Go(func() {
			f, ok := fault.As(h.do(t.Context(), hash))
			if !ok || f.Kind != fault.Unavailable || f.Code != api.CodeServiceUnavailable || f.RetryAfter <= 0 {
				t.Errorf("beyond the bounds: %v", f)
			}
			refused.Add(1)
		})
	}
	second.Wait() // while every turn is taken
	close(release)
	all.Wait()
	if int(most.Load()) > processors || int(finished.Load()) != processors+waiting || int(refused.Load()) != beyond {
		t.Errorf("%d at a time, %d finished, %d refused", most.Load(), finished.Load(), refused.Load())
	}
}

func TestAPasswordIsNotHashedAfterItsCallerGaveUp(t *testing.T) {
	t.Parallel()
	var h hashing
	h.prepare()
	for range cap(h.turns) {
		h.turns <- struct{}{}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	err := h.do(ctx, func() error { return errors.New("it was hashed") })
	if !errors.Is(err, context.Canceled) || len(h.crowd) != 0 {
		t.Errorf("%v, and %d are still waiting", err, len(h.crowd))
	}
}

// Everything that makes or compares a hash waits for its turn, even when there
// is no account to compare with.
func TestEveryPasswordWaitsForItsTurn(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := serviceOn(t, d)
		account, secret := invited(t, s, "ada@acme.example")
		_, token, err := s.Accept(t.Context(), secret, "Ada", "correct horse")
		if err != nil {
			t.Fatal(err)
		}
		_, another := invited(t, s, "ben@acme.example")
		s.passwords.prepare()
		for range cap(s.passwords.crowd) {
			s.passwords.crowd <- struct{}{}
		}
		for name, try := range map[string]func() error{
			"sign in":                    func() error { _, _, err := s.SignIn(t.Context(), "ada@acme.example", "correct horse"); return err },
			"sign in as nobody":          func() error { _, _, err := s.SignIn(t.Context(), "eve@acme.example", "correct horse"); return err },
			"sign in without an address": func() error { _, _, err := s.SignIn(t.Context(), "nobody", "correct horse"); return err },
			"change a password": func() error {
				return s.ChangePassword(t.Context(), account, token, "correct horse", "battery staple")
			},
			"accept an invitation": func() error { _, _, err := s.Accept(t.Context(), another, "Ben", "correct horse"); return err },
		} {
			if err := try(); !fault.HasCode(err, api.CodeServiceUnavailable) {
				t.Errorf("%s while too many wait: %v", name, err)
			}
		}
		for range cap(s.passwords.crowd) {
			<-s.passwords.crowd
		}
		if _, _, err := s.SignIn(t.Context(), "ada@acme.example", "correct horse"); err != nil {
			t.Errorf("afterwards: %v", err)
		}
	})
}

// Two hundred tries at once all get an answer, one of two, and never are more
// passwords hashed at once than there are processors.
func TestNoMorePasswordsAreHashedAtOnceThanProcessors(t *testing.T) {
	t.Parallel()
	s := serviceOn(t, dbtest.Open(t, dbtest.Config(t, db.SQLite)))
	done, watched := make(chan struct{}), make(chan struct{})
	most := 0
	s.passwords.prepare()
	go func() {
		defer close(watched)
		for {
			select {
			case <-done:
				return
			default:
				most = max(most, len(s.passwords.turns))
				runtime.Gosched()
			}
		}
	}()
	var failed, unavailable atomic.Int32
	var all sync.WaitGroup
	for range 200 {
		all.Go(func() {
			_, _, err := s.SignIn(t.Context(), "eve@acme.example", "wrong guess")
			switch {
			case fault.HasCode(err, api.CodeSignInFailed):
				failed.Add(1)
			case fault.HasCode(err, api.CodeServiceUnavailable):
				unavailable.Add(1)
			default:
				t.Errorf("a try got %v", err)
			}
		})
	}
	all.Wait()
	close(done)
	<-watched
	if most == 0 || most > runtime.GOMAXPROCS(0) {
		t.Errorf("%d passwords were hashed at a time", most)
	}
	if failed.Load() == 0 || failed.Load()+unavailable.Load() != 200 {
		t.Errorf("%d tries failed and %d were refused", failed.Load(), unavailable.Load())
	}
}

func invited(t *testing.T, s *Service, email string) (Account, string) {
	t.Helper()
	_, account, err := s.CreateWorkspace(t.Context(), "Acme", email)
	if err != nil {
		t.Fatal(err)
	}
	invitation, err := s.Invite(t.Context(), email)
	if err != nil {
		t.Fatal(err)
	}
	_, secret, _ := strings.Cut(invitation.URL, "#")
	return account, secret
}
