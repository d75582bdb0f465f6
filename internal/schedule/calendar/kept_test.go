package calendar

import (
	"strings"
	"testing"
)

// Of what a provider calls an event only that is kept which a database stores.
func TestKept(t *testing.T) {
	t.Parallel()
	longest := strings.Repeat("a", longestVersion)
	for name, want := range map[string]string{
		"": "", `"1"`: `"1"`, `W/"ü"`: `W/"ü"`, longest: longest, longest + "a": "", "\"\xff\"": "", "\"1\x00\"": "",
	} {
		if got := kept(name, longestVersion); got != want {
			t.Errorf("of %q is kept %q, want %q", name, got, want)
		}
	}
}
