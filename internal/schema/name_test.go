package schema_test

import (
	"strings"
	"testing"

	"github.com/conclave-rooms/conclave/internal/schema"
)

// wales is the flag of Wales: a black flag with tags.
const wales = "\U0001f3f4\U000e0067\U000e0062\U000e0077\U000e006c\U000e0073\U000e007f"

func TestPersonName(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ in, want string }{
		"plain":                       {"Ada Lovelace", "Ada Lovelace"},
		"accents":                     {"Zoë Nuñez", "Zoë Nuñez"},
		"hebrew":                      {"ליאת בן־דוד", "ליאת בן־דוד"},
		"arabic":                      {"عائشة", "عائشة"},
		"persian keeps its joiners":   {"علی\u200cرضا", "علی\u200cرضا"},
		"a family stays together":     {"👩\u200d👩\u200d👧", "👩\u200d👩\u200d👧"},
		"a heart stays red":           {"Ada ❤\ufe0f", "Ada ❤\ufe0f"},
		"a skin tone":                 {"Ada 👋🏽", "Ada 👋🏽"},
		"override":                    {"Ada\u202e ecalevoL", "Ada ecalevoL"},
		"embedding":                   {"\u202aAda\u202c", "Ada"},
		"isolates":                    {"\u2066Ada\u2069", "Ada"},
		"marks of direction":          {"\u200eAda\u200f\u061c", "Ada"},
		"no width":                    {"A\u200bd\u2060a\ufeff", "Ada"},
		"soft hyphen":                 {"Love\u00adlace", "Lovelace"},
		"tags":                        {"Ada\U000e0041", "Ada"},
		"a flag":                      {"Ada " + wales, "Ada " + wales},
		"flags":                       {wales + "\U0001f3f4" + wales, wales + "\U0001f3f4" + wales},
		"a flag that nobody draws":    {"Ada \U0001f3f4\U000e0075\U000e0073\U000e0074\U000e0078\U000e007f", "Ada \U0001f3f4"},
		"a flag without an end":       {strings.TrimSuffix(wales, "\U000e007f") + " Ada", "\U0001f3f4 Ada"},
		"fillers":                     {"\u3164\u115f\uffa0", ""},
		"nothing but what is not":     {"\u200b\u200d\u200c", ""},
		"joiners at the ends":         {"\u200dAda\u200c", "Ada"},
		"what is left is trimmed too": {"\u200b Ada \u202e", "Ada"},
		"nothing but selectors":       {"\ufe0f\U000e0100", ""},
		"a selector of nothing":       {"\ufe0f Ada", "Ada"},
		"a character and its variant": {"\u845b\U000e0100", "\u845b\U000e0100"},
		"nothing but blank braille":   {"\u2800\u2800", ""},
		"braille":                     {"\u2801\u2800\u2803", "\u2801\u2800\u2803"},
		"an accent of its own":        {"Jose\u200b\u0301", "Jos\u00e9"},
		"empty":                       {"", ""},
	} {
		if got := schema.PersonName(test.in); got != test.want {
			t.Errorf("%s: %+q becomes %+q, want %+q", name, test.in, got, test.want)
		}
	}
}

func TestShortPersonName(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ in, want string }{
		{"  Ada Lovelace ", "Ada Lovelace"},
		{"Ada\r\nLovelace\x00", "Ada  Lovelace"},
		{"Zoe\u0308", "Zo\u00eb"},
		{"Ada\u202e ecalevoL", "Ada ecalevoL"},
		{strings.Repeat("e\u0301", 61), strings.Repeat("\u00e9", 60)},
		{strings.Repeat("a", 59) + " Lovelace", strings.Repeat("a", 59)},
		{strings.Repeat("a", 53) + wales, strings.Repeat("a", 53) + wales},
		{strings.Repeat("a", 54) + wales, strings.Repeat("a", 54) + "\U0001f3f4"},
		{strings.Repeat("a", 59) + "\u200d\u200db", strings.Repeat("a", 59)},
		{"\n", ""},
	} {
		if got := schema.ShortPersonName(test.in, 60); got != test.want {
			t.Errorf("%q is stored as %q, want %q", test.in, got, test.want)
		}
	}
}
