package calendar

import (
	"strings"
	"testing"
)

// Names that a database cannot store are left out.
func TestNamesThatCannotBeStoredAreLeftOut(t *testing.T) {
	t.Parallel()
	longest := strings.Repeat("a", longestVersion)
	for name, want := range map[string]string{
		"": "", `"1"`: `"1"`, `W/"ü"`: `W/"ü"`, longest: longest, longest + "a": "", "\"\xff\"": "", "\"1\x00\"": "",
	} {
		if got := storable(name, longestVersion); got != want {
			t.Errorf("%q is kept as %q, want %q", name, got, want)
		}
	}
}
