package mediaclient

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/pbkdf2"
	"crypto/sha256"
	"fmt"
	"sync"
)

// Keys derives the key of each passphrase once, for all participants that share it. Each
// device of a real crowd derives its own, and does not take time from the others.
type Keys struct {
	mu    sync.Mutex
	known map[string]func() (cipher.AEAD, error)
}

// of returns the key of a meeting.
func (k *Keys) of(passphrase string) (cipher.AEAD, error) {
	if k == nil {
		return frameKey(passphrase)
	}
	k.mu.Lock()
	derive, known := k.known[passphrase]
	if !known {
		derive = sync.OnceValues(func() (cipher.AEAD, error) { return frameKey(passphrase) })
		if k.known == nil {
			k.known = map[string]func() (cipher.AEAD, error){}
		}
		k.known[passphrase] = derive
	}
	k.mu.Unlock()
	return derive()
}

// frameKey derives the key of a meeting.
func frameKey(passphrase string) (cipher.AEAD, error) {
	key, err := pbkdf2.Key(sha256.New, passphrase, []byte(keySalt), keyIterations, keySize)
	if err != nil {
		return nil, fmt.Errorf("derive key: %w", err)
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, fmt.Errorf("make cipher: %w", err)
	}
	return cipher.NewGCM(block)
}
