package identity

import (
	"strings"
	"testing"

	"github.com/alexedwards/argon2id"
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
		t.Error("a malformed hash was accepted")
	}
}

// Refusing an unknown address takes as long as refusing a wrong password,
// because the same work is done.
func TestTheDecoyHashTakesAsLong(t *testing.T) {
	t.Parallel()
	hash, err := hashPassword("correct horse")
	if err != nil {
		t.Fatal(err)
	}
	somebody, salt, key, err := argon2id.DecodeHash(hash)
	if err != nil {
		t.Fatal(err)
	}
	nobody, nobodysSalt, nobodysKey, err := argon2id.DecodeHash(decoyHash)
	if err != nil || *nobody != *somebody || len(nobodysSalt) != len(salt) || len(nobodysKey) != len(key) {
		t.Errorf("the decoy hash takes %+v, a real one %+v (%v)", nobody, somebody, err)
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
