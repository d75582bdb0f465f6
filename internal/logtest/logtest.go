// Package logtest keeps logs that tests read.
package logtest

import (
	"bytes"
	"sync"
)

// Book is a log that can be read while others write it. The zero Book is empty.
type Book struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (b *Book) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p) //nolint:wrapcheck // it cannot fail
}

// String returns what was written so far.
func (b *Book) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}
