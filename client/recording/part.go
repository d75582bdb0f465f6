package recording

import (
	"crypto/aes"
	"crypto/cipher"
	"errors"
	"fmt"
)

const (
	// KeyBytes is the size of a recording's key.
	KeyBytes = 32
	// Overhead is by how much a part is larger than what it holds: a 12-byte IV
	// stands before the ciphertext, a 16-byte tag behind it.
	Overhead = ivBytes + tagBytes

	ivBytes  = 12
	tagBytes = 16
)

// ErrDamaged is returned for a part that does not open. Its bytes are not those
// that were recorded, it belongs to another recording or another place, or the
// key is another recording's. Use errors.Is.
var ErrDamaged = errors.New("it is damaged, or not the part of this recording that belongs here")

// DecryptPart opens a part as GET /recordings/{id}/parts/{index} answers it. The
// key has 32 bytes. An error that wraps ErrDamaged says that the part is not
// what was recorded.
func DecryptPart(key []byte, id string, index int, part []byte) ([]byte, error) {
	if len(key) != KeyBytes {
		return nil, fmt.Errorf("recording: the key has %d bytes instead of %d", len(key), KeyBytes)
	}
	if len(part) < Overhead {
		return nil, &PartError{Index: index, Err: ErrDamaged}
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, fmt.Errorf("recording: use the key: %w", err)
	}
	gcm, err := cipher.NewGCM(block)
	if err != nil {
		return nil, fmt.Errorf("recording: use the key: %w", err)
	}
	place := fmt.Appendf(nil, "service-recording:%s:%d", id, index)
	plain, err := gcm.Open(nil, part[:ivBytes], part[ivBytes:], place)
	if err != nil {
		return nil, &PartError{Index: index, Err: ErrDamaged}
	}
	return plain, nil
}

// PartError says which part of a recording could not be read, and why.
type PartError struct {
	Index int // from 0, as in the API
	Err   error
}

func (e *PartError) Error() string {
	return fmt.Sprintf("recording: part %d: %v", e.Index, e.Err)
}

func (e *PartError) Unwrap() error { return e.Err }
