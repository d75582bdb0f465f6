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
		"joiners":                     {"Yes", "Y\u200c\u200des", true},
		"a joiner in Cyrillic":        {"Да", "Д\u200cа", true},
		"a joiner in Japanese":        {"はい", "は\u200dい", true},
		"a joiner of a number":        {"10", "1\u200d0", true},
		"a joiner and an accent":      {"José", "Jose\u200d\u0301", true},
		"Persian":                     {"نامه\u200cای", "نامهای", false},
		"Persian with a vowel":        {"نامهِ\u200cای", "نامهِای", false},
		"Persian, twice":              {"نامه\u200cای", "نامه\u200c\u200cای", true},
		"Persian, and no width":       {"نامه\u200cای", "نامه\u200b\u200cای", true},
		"Persian, before a space":     {"نامه ای", "نامه\u200c ای", true},
		"Persian, after a space":      {"نامه ای", "نامه \u200cای", true},
		"Persian, at the ends":        {"نامه", "\u200cنامه\u200c", true},
		"Hindi":                       {"क्ष", "क्\u200dष", false},
		"the two joiners in Hindi":    {"क्\u200cष", "क्\u200dष", false},
		"a family and three people":   {"👨\u200d👩\u200d👧", "👨👩👧", false},
		"emoji with a selector":       {"❤\ufe0f\u200d🔥", "❤\ufe0f🔥", false},
		"emoji, one with a selector":  {"❤\ufe0f\u200d🔥", "❤\u200d🔥", true},
		"emoji with a skin":           {"👩🏽\u200d🚀", "👩🏽🚀", false},
		"a joiner behind an emoji":    {"👍", "👍\u200d", true},
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
