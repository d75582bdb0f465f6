// Package seal encrypts secrets that are stored.
//
// A sealed value is AES-256-GCM ciphertext under a master key, as text:
//
//	v1.<key id>.<base64url of a 12-byte nonce and the ciphertext>
//
// The additional data names where the value is stored, its binding (table, column,
// row, workspace), so that a ciphertext copied to another row does not open
// there. There may be several master keys, so that keys can be rotated: the
// first one seals, all of them open.
package seal

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/conclave-rooms/conclave/internal/disk"
)

// Sealer seals and opens.
type Sealer struct {
	keys []masterKey
}

type masterKey struct {
	id     string
	secret []byte
	aead   cipher.AEAD
}

// ErrUnopened is returned when a value does not open: the master key is
// missing, it was sealed for another binding, or it was changed.
var ErrUnopened = errors.New("seal: the value does not open")

// New makes a sealer from master keys of 32 bytes each; the first one seals.
func New(secrets ...[]byte) (*Sealer, error) {
	if len(secrets) == 0 {
		return nil, errors.New("seal: no master key")
	}
	s := &Sealer{}
	for _, secret := range secrets {
		if len(secret) != 32 {
			return nil, fmt.Errorf("seal: a master key has 32 bytes, this one has %d", len(secret))
		}
		block, err := aes.NewCipher(secret)
		if err != nil {
			return nil, fmt.Errorf("make the cipher: %w", err)
		}
		aead, err := cipher.NewGCM(block)
		if err != nil {
			return nil, fmt.Errorf("make the cipher: %w", err)
		}
		sum := sha256.Sum256(secret)
		s.keys = append(s.keys, masterKey{id: hex.EncodeToString(sum[:4]), secret: secret, aead: aead})
	}
	return s, nil
}

// Parse parses master keys as written in a file or the environment: base64
// (either alphabet) of 32 bytes each, separated by commas or line ends.
func Parse(text string) (*Sealer, error) {
	var secrets [][]byte
	for _, word := range strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(", \t\r\n", r) }) {
		word = strings.TrimRight(strings.NewReplacer("+", "-", "/", "_").Replace(word), "=")
		secret, err := base64.RawURLEncoding.DecodeString(word)
		if err != nil {
			return nil, errors.New("a master key is not base64") // without the text: it is a secret
		}
		secrets = append(secrets, secret)
	}
	return New(secrets...)
}

// FromFile reads the master keys of a file, and makes the file with one new key
// if it is missing. Without this file, nothing that was sealed can be opened.
func FromFile(file string) (*Sealer, error) {
	s, err := ReadFile(file)
	if !errors.Is(err, fs.ErrNotExist) {
		return s, err
	}
	if err := makeFile(file); err != nil {
		return nil, fmt.Errorf("make the master key: %w", err)
	}
	return ReadFile(file)
}

// ReadFile reads the master keys of an existing file.
func ReadFile(file string) (*Sealer, error) {
	text, err := os.ReadFile(file) //nolint:gosec // the path is configuration
	if err != nil {
		return nil, fmt.Errorf("read the master key: %w", err)
	}
	s, err := Parse(string(text))
	if err != nil {
		return nil, fmt.Errorf("read the master key in %s: %w", file, err)
	}
	return s, nil
}

// makeFile writes a new key to a temporary file and links it into place. If
// another process was faster, the link fails and that process's key counts. Either way
// the file's name is on the disk, where the file system can do so, before this process
// seals anything: a power cut must not leave a database with secrets that no key opens.
func makeFile(file string) error {
	secret := make([]byte, 32)
	_, _ = rand.Read(secret)
	text := []byte(base64.RawURLEncoding.EncodeToString(secret) + "\n")
	if err := disk.MakeDir(filepath.Dir(file)); err != nil {
		return fmt.Errorf("make the directory: %w", err)
	}
	temp, err := os.CreateTemp(filepath.Dir(file), ".master-key-*") // made with mode 0600
	if err != nil {
		return fmt.Errorf("make a temporary file: %w", err)
	}
	defer func() { _ = os.Remove(temp.Name()) }()
	_, err = temp.Write(text)
	if err = errors.Join(err, temp.Sync(), temp.Close()); err != nil {
		return fmt.Errorf("write the key: %w", err)
	}
	if err := os.Link(temp.Name(), file); err != nil && !errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("put the key into place: %w", err)
	}
	return disk.Sync(filepath.Dir(file)) //nolint:wrapcheck // it says what failed
}

// Seal seals a value for a binding.
func (s *Sealer) Seal(plain []byte, binding string) (string, error) {
	key := s.keys[0]
	nonce := make([]byte, key.aead.NonceSize(), key.aead.NonceSize()+len(plain)+key.aead.Overhead())
	_, _ = rand.Read(nonce)
	return "v1." + key.id + "." + base64.RawURLEncoding.EncodeToString(key.aead.Seal(nonce, nonce, plain, []byte(binding))), nil
}

// Open opens a value sealed for this binding.
func (s *Sealer) Open(sealed, binding string) ([]byte, error) {
	parts := strings.Split(sealed, ".")
	if len(parts) != 3 || parts[0] != "v1" {
		return nil, ErrUnopened
	}
	for _, key := range s.keys {
		if key.id != parts[1] {
			continue
		}
		raw, err := base64.RawURLEncoding.DecodeString(parts[2])
		if err != nil || len(raw) < key.aead.NonceSize() {
			return nil, ErrUnopened
		}
		plain, err := key.aead.Open(nil, raw[:key.aead.NonceSize()], raw[key.aead.NonceSize():], []byte(binding))
		if err != nil {
			return nil, ErrUnopened
		}
		return plain, nil
	}
	return nil, ErrUnopened
}

// Knows says whether a value was sealed under one of the master keys.
func (s *Sealer) Knows(sealed string) bool {
	parts := strings.Split(sealed, ".")
	return len(parts) == 3 && parts[0] == "v1" && slices.ContainsFunc(s.keys, func(key masterKey) bool { return key.id == parts[1] })
}

// Derive derives a key of 32 bytes for a purpose from the first master key, by
// HKDF-SHA-256 (RFC 5869). It is the same after every restart and on every
// node.
func (s *Sealer) Derive(purpose string) ([]byte, error) {
	key, err := hkdf.Key(sha256.New, s.keys[0].secret, nil, "conclave "+purpose, 32)
	if err != nil {
		return nil, fmt.Errorf("derive the key for %s: %w", purpose, err)
	}
	return key, nil
}
