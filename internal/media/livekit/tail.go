package livekit

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// traceMost is how much of a child's standard error is kept: enough for the
// text of a panic and where it happened.
const traceMost = 8 << 10

// crashLine matches the first line that Go writes when a program crashes.
var crashLine = regexp.MustCompile(`(?m)^(panic: |fatal error: |unexpected fault address |SIG[A-Z]+: )`)

// trace keeps a part of a child's standard error: the beginning of the last
// panic or, without one, the end.
type trace struct {
	mu      sync.Mutex
	text    []byte
	crashed bool
}

// Write adds some output.
func (t *trace) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	text := slices.Concat(t.text, p)
	if at := crashLine.FindAllIndex(text, -1); at != nil { // the last one: a panic may be recovered
		t.crashed, text = true, text[at[len(at)-1][0]:]
	}
	if over := len(text) - traceMost; over > 0 && t.crashed {
		text = text[:traceMost]
	} else if over > 0 {
		text = text[over:]
	}
	t.text = bytes.Clone(text)
	return len(p), nil
}

// without returns the kept text, with secrets removed.
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
