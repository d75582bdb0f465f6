package livekit

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// traceMost is how much is kept of what a child wrote to its standard error:
// the text of a panic, and where it happened.
const traceMost = 8 << 10

// dying matches the first line of what Go writes when it ends a program.
var dying = regexp.MustCompile(`(?m)^(panic: |fatal error: |unexpected fault address |SIG[A-Z]+: )`)

// trace keeps what a child wrote to its standard error. Of a panic these are
// the first bytes; while there is none, the last.
type trace struct {
	mu    sync.Mutex
	text  []byte
	dying bool
}

// Write takes a piece.
func (t *trace) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	text := slices.Concat(t.text, p)
	if at := dying.FindAllIndex(text, -1); at != nil { // the last: a panic may be survived
		t.dying, text = true, text[at[len(at)-1][0]:]
	}
	if over := len(text) - traceMost; over > 0 && t.dying {
		text = text[:traceMost]
	} else if over > 0 {
		text = text[over:]
	}
	t.text = bytes.Clone(text)
	return len(p), nil
}

// without is what was kept, without secrets.
func (t *trace) without(secrets ...string) string {
	t.mu.Lock()
	defer t.mu.Unlock()
	text := redact(strings.ToValidUTF8(string(t.text), "?"))
	for _, secret := range secrets {
		if secret != "" {
			text = strings.ReplaceAll(text, secret, "[redacted]")
		}
	}
	return strings.TrimSpace(text)
}
