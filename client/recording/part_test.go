package recording

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"os"
	"strings"
	"testing"
)

// vectors are parts that another program, testdata/vectors.mjs, encrypted.
type vectors struct {
	Key   string `json:"key"`
	ID    string `json:"id"`
	Parts []struct {
		Index int    `json:"index"`
		Plain []byte `json:"plain"`
		Part  []byte `json:"part"`
	} `json:"parts"`
}

func readVectors(t testing.TB) (vectors, []byte) {
	t.Helper()
	file, err := os.ReadFile("testdata/vectors.json")
	if err != nil {
		t.Fatal(err)
	}
	var v vectors
	if err := json.Unmarshal(file, &v); err != nil {
		t.Fatal(err)
	}
	key, err := base64.RawURLEncoding.DecodeString(v.Key)
	if err != nil || len(v.Parts) == 0 {
		t.Fatalf("the vectors cannot be used: %v", err)
	}
	return v, key
}

func TestDecryptPart(t *testing.T) {
	t.Parallel()
	v, key := readVectors(t)
	for _, p := range v.Parts {
		plain, err := DecryptPart(key, v.ID, p.Index, p.Part)
		if err != nil || !bytes.Equal(plain, p.Plain) {
			t.Errorf("part %d opens to %q, %v; want %q", p.Index, plain, err, p.Plain)
		}
	}
}

func TestDecryptPartRefuses(t *testing.T) {
	t.Parallel()
	v, key := readVectors(t)
	good := v.Parts[1]
	flipped := func(at int) []byte {
		part := bytes.Clone(good.Part)
		part[at] ^= 1
		return part
	}
	for _, c := range []struct {
		name  string
		key   []byte
		id    string
		index int
		part  []byte
	}{
		{"in another place", key, v.ID, good.Index + 1, good.Part},
		{"of another recording", key, strings.Replace(v.ID, "0", "1", 1), good.Index, good.Part},
		{"with another recording's key", bytes.Repeat([]byte{7}, KeyBytes), v.ID, good.Index, good.Part},
		{"with a changed IV", key, v.ID, good.Index, flipped(0)},
		{"with a changed byte", key, v.ID, good.Index, flipped(ivBytes)},
		{"with a changed tag", key, v.ID, good.Index, flipped(len(good.Part) - 1)},
		{"cut short by one byte", key, v.ID, good.Index, good.Part[:len(good.Part)-1]},
		{"with a byte more", key, v.ID, good.Index, append(bytes.Clone(good.Part), 0)},
		{"shorter than any part", key, v.ID, good.Index, good.Part[:Overhead-1]},
		{"empty", key, v.ID, good.Index, nil},
	} {
		plain, err := DecryptPart(c.key, c.id, c.index, c.part)
		part, which := errors.AsType[*PartError](err)
		if !errors.Is(err, ErrDamaged) || !which || part.Index != c.index || plain != nil {
			t.Errorf("a part %s opens to %q, %v; want an error that names part %d", c.name, plain, err, c.index)
		}
	}
	for _, n := range []int{0, 16, KeyBytes - 1, KeyBytes + 1} {
		if _, err := DecryptPart(make([]byte, n), v.ID, good.Index, good.Part); err == nil || errors.Is(err, ErrDamaged) {
			t.Errorf("a key of %d bytes: %v; want an error about the key", n, err)
		}
	}
}

// A part that opens is one of those we made, because nobody can forge one without the
// key.
func FuzzDecryptPart(f *testing.F) {
	v, key := readVectors(f)
	made := map[string]bool{}
	for _, p := range v.Parts {
		f.Add(p.Index, p.Part)
		made[string(p.Part)] = true
	}
	f.Add(-1, []byte("too short"))
	f.Add(0, make([]byte, Overhead))
	f.Fuzz(func(t *testing.T, index int, part []byte) {
		plain, err := DecryptPart(key, v.ID, index, part)
		if err == nil && (!made[string(part)] || len(plain) != len(part)-Overhead) {
			t.Errorf("a forged part %d opens to %q", index, plain)
		}
		if err != nil && !errors.Is(err, ErrDamaged) {
			t.Errorf("a part cannot be opened because of %v; want %v", err, ErrDamaged)
		}
	})
}
