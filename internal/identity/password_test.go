package identity

import (
	"strings"
	"testing"
	"time"
)

func TestPasswords(t *testing.T) {
	t.Parallel()
	hash, err := hashPassword("correct horse")
	if err != nil || !strings.HasPrefix(hash, "$argon2id$v=19$m=19456,t=2,p=1$") {
		t.Fatalf("the hash is %s (%v)", hash, err)
	}
	again, err := hashPassword("correct horse")
	if err != nil || again == hash {
		t.Errorf("the same password has the same hash twice (%v)", err)
	}
	for _, c := range []struct {
		password, hash string
		want           bool
	}{
		{"correct horse", hash, true},
		{"correct horse", again, true},
		{"Correct horse", hash, false},
		{"correct horse ", hash, false},
		{"", hash, false},
		{"correct horse", "", false},
		{"", "", false},
	} {
		if got, err := passwordMatches(c.password, c.hash); err != nil || got != c.want {
			t.Errorf("%q against %q: %v (%v)", c.password, c.hash, got, err)
		}
	}
	if _, err := passwordMatches("x", "nonsense"); err == nil {
		t.Error("a hash that is none was taken")
	}
}

// An address nobody has takes as long to refuse as a wrong password: the same
// work is done. The quickest of several runs is compared, and generously,
// because other tests run beside.
func TestNobodysPasswordTakesAsLong(t *testing.T) {
	t.Parallel()
	hash, err := hashPassword("correct horse")
	if err != nil {
		t.Fatal(err)
	}
	quickest := func(hash string) time.Duration {
		best := time.Hour
		for range 5 {
			begin := time.Now()
			if match, err := passwordMatches("a wrong guess", hash); err != nil || match {
				t.Fatalf("%v %v", match, err)
			}
			best = min(best, time.Since(begin))
		}
		return best
	}
	somebody, nobody := quickest(hash), quickest("")
	if nobody < somebody/2 || nobody > somebody*2 {
		t.Errorf("nobody's takes %v, somebody's %v", nobody, somebody)
	}
}

func TestWhichPasswordsMayBeChosen(t *testing.T) {
	t.Parallel()
	for password, good := range map[string]bool{
		strings.Repeat("x", 9): false, strings.Repeat("x", 10): true, strings.Repeat("ü", 10): true, strings.Repeat("x", 200): true,
		strings.Repeat("x", 201): false, "Ada@Acme.Example": false,
	} {
		if err := checkPassword("password", password, "ada@acme.example"); (err == nil) != good {
			t.Errorf("%q: %v", password, err)
		}
	}
}
