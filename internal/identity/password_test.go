package identity

import (
	"reflect"
	"strconv"
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

// The limits themselves are tried through HTTP (testdata/stories/sessions.txt).
func TestEveryNewPasswordHasTheSameLimits(t *testing.T) {
	t.Parallel()
	accept, change := tagOf[acceptInput](t, "Password"), tagOf[passwordInput](t, "New")
	for _, limit := range []string{"minLength", "maxLength", "raw"} {
		if one, other := accept.Get(limit), change.Get(limit); one == "" || one != other {
			t.Errorf("%s is %q when an invitation is accepted, %q when the password is changed", limit, one, other)
		}
	}
}

// What a provider calls a person is as long as what people call themselves, at most.
func TestNamesOfProvidersHaveTheLimitOfOthers(t *testing.T) {
	t.Parallel()
	if got := tagOf[acceptInput](t, "Name").Get("maxLength"); got != strconv.Itoa(longestName) {
		t.Errorf("a person may enter %s characters as their name, a provider's are cut to %d", got, longestName)
	}
}

// tagOf is the tag of a field of a request's body.
func tagOf[Input any](t *testing.T, name string) reflect.StructTag {
	t.Helper()
	body, _ := reflect.TypeFor[Input]().FieldByName("Body")
	field, ok := body.Type.FieldByName(name)
	if !ok {
		t.Fatalf("the body of %T has no field %s", *new(Input), name)
	}
	return field.Tag
}

func TestThePasswordIsNotTheEmailAddress(t *testing.T) {
	t.Parallel()
	for password, good := range map[string]bool{"ada@acme.example.": true, "ada@acme.example": false, "Ada@Acme.Example": false} {
		if err := checkPassword("password", password, "ada@acme.example"); (err == nil) != good {
			t.Errorf("%q: %v", password, err)
		}
	}
}
