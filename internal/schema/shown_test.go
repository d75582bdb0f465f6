package schema

import (
	"strings"
	"testing"
)

// Entries of a list are compared by what people see of them.
func TestShown(t *testing.T) {
	t.Parallel()
	england, scotland, texas := flag("gbeng"), flag("gbsct"), flag("ustx")
	open := strings.TrimSuffix(england, "\U000e007f")
	for name, c := range map[string]struct {
		a, b string
		same bool
	}{
		"words":                       {"Yes", "No", false},
		"no width":                    {"Yes", "Y\u200bes", true},
		"a joiner":                    {"Yes", "Y\u200des", true},
		"a selector":                  {"Yes", "Y\ufe00es", true},
		"a selector at the end":       {"Yes", "Yes\ufe0f", true},
		"a selector of ideographs":    {"Yes", "Ye\U000e0100s", true},
		"a selector and an accent":    {"José", "Jose\ufe00\u0301", true},
		"tags of a letter":            {"Yes", "Yes\U000e0067\U000e007f", true},
		"flags":                       {england, scotland, false},
		"flags in a text":             {"For " + england + ".", "For " + scotland + ".", false},
		"a flag and a black one":      {england, "\U0001f3f4", false},
		"a flag with something added": {england, "\u200b" + england + "\u200d", true},
		"tags behind a flag":          {"\U0001f3f4.", "\U0001f3f4.\U000e0067", true},
		"tags behind a flag's tags":   {england, england + "\U000e0067\U000e007f", true},
		"two flags":                   {england + scotland, scotland + england, false},
		"a flag that nobody draws":    {texas, "\U0001f3f4", true},
		"a flag without an end":       {open, "\U0001f3f4", true},
		"a flag cut by something":     {open + "\u200b\U000e007f", "\U0001f3f4", true},
	} {
		if got := shown(c.a) == shown(c.b); got != c.same {
			t.Errorf("%s: %+q and %+q look the same: %v, want %v", name, c.a, c.b, got, c.same)
		}
	}
}
