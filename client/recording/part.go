package recording

import (
	"crypto/aes"
	"crypto/cipher"
	"errors"
	"fmt"
)

const (
	// KeyBytes is the size of a recording's key in bytes.
	KeyBytes = 32
	// Overhead is how many bytes a part is larger than its content: a 12-byte IV
	// before the ciphertext and a 16-byte tag after it.
	Overhead = ivBytes + tagBytes

	ivBytes  = 12
	tagBytes = 16
)

// ErrDamaged is returned for a part that cannot be decrypted: its bytes were changed, it
// comes from another recording or another place, or the key belongs to another
// recording. Use errors.Is.
var ErrDamaged = errors.New("it is damaged, or not the part of this recording that belongs here")

// DecryptPart decrypts a part as GET /recordings/{id}/parts/{index} returns it. The key
// has 32 bytes. The error wraps ErrDamaged when the part is not what was recorded.
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

// PartError is returned for a part that could not be read.
type PartError struct {
	Index int // from 0, as in the API
	Err   error
}

func (e *PartError) Error() string {
	return fmt.Sprintf("recording: part %d: %v", e.Index, e.Err)
}

func (e *PartError) Unwrap() error { return e.Err }
