package seal_test

import (
	"bytes"
	"encoding/base64"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/conclave-rooms/conclave/internal/seal"
)

func key(b byte) []byte { return bytes.Repeat([]byte{b}, 32) }

func sealer(t *testing.T, keys ...[]byte) *seal.Sealer {
	t.Helper()
	s, err := seal.New(keys...)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestASealedValueOpensOnlyWithItsBinding(t *testing.T) {
	t.Parallel()
	s := sealer(t, key(1))
	sealed, err := s.Seal([]byte("secret"), "room/1")
	if err != nil {
		t.Fatal(err)
	}
	if got, err := s.Open(sealed, "room/1"); err != nil || string(got) != "secret" {
		t.Errorf("Open = %q, %v", got, err)
	}
	other, _ := s.Seal([]byte("secret"), "room/1")
	if other == sealed {
		t.Error("two seals of one value are the same text: the nonce repeats")
	}
	for name, try := range map[string]func() ([]byte, error){
		"another place": func() ([]byte, error) { return s.Open(sealed, "room/2") },
		"another key":   func() ([]byte, error) { return sealer(t, key(2)).Open(sealed, "room/1") },
		"a changed one": func() ([]byte, error) { return s.Open(sealed[:len(sealed)-2]+"AA", "room/1") },
		"no seal":       func() ([]byte, error) { return s.Open("secret", "room/1") },
		"an empty one":  func() ([]byte, error) { return s.Open("", "room/1") },
		"a short one": func() ([]byte, error) {
			return s.Open(strings.Join(strings.Split(sealed, ".")[:2], ".")+".AA", "room/1")
		},
	} {
		if got, err := try(); !errors.Is(err, seal.ErrUnopened) {
			t.Errorf("%s: Open = %q, %v; want ErrUnopened", name, got, err)
		}
	}
}

func TestAnOldMasterKeyStillOpens(t *testing.T) {
	t.Parallel()
	sealed, _ := sealer(t, key(1)).Seal([]byte("old"), "p")
	rotated := sealer(t, key(2), key(1))
	if got, err := rotated.Open(sealed, "p"); err != nil || string(got) != "old" {
		t.Errorf("Open = %q, %v", got, err)
	}
	fresh, _ := rotated.Seal([]byte("new"), "p")
	if _, err := sealer(t, key(1)).Open(fresh, "p"); err == nil {
		t.Error("the old key seals still")
	}
}

func TestTheKeyFileIsMadeOnceAndOnlyForItsOwner(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "sub", "master.key")
	first, err := seal.FromFile(file)
	if err != nil {
		t.Fatal(err)
	}
	sealed, _ := first.Seal([]byte("x"), "p")
	second, err := seal.FromFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := second.Open(sealed, "p"); err != nil {
		t.Errorf("the second start has another key: %v", err)
	}
	info, _ := os.Stat(file)
	if info.Mode().Perm() != 0o600 {
		t.Errorf("the key file's mode is %v, want 0600", info.Mode().Perm())
	}
}

func TestParse(t *testing.T) {
	t.Parallel()
	good := base64.StdEncoding.EncodeToString(key(0xfb))
	for text, ok := range map[string]bool{good: true, good + "\n" + good: true, good + ", " + good: true, "": false, "short": false, "!!!": false} {
		if _, err := seal.Parse(text); (err == nil) != ok {
			t.Errorf("Parse(%q): %v", text, err)
		}
	}
}

func TestDerivedKeysDifferByPurposeAndStay(t *testing.T) {
	t.Parallel()
	s := sealer(t, key(1))
	a, _ := s.Derive("media")
	b, _ := s.Derive("gate")
	again, _ := sealer(t, key(1)).Derive("media")
	if bytes.Equal(a, b) || !bytes.Equal(a, again) || len(a) != 32 {
		t.Error("derived keys must be 32 bytes, differ by purpose and stay the same")
	}
}
