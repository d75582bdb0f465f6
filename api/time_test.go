package api

import (
	"encoding/json"
	"testing"
)

func TestTimesAreRFC3339(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"2026-11-20T10:00:00Z":            "2026-11-20T10:00:00.000Z",
		"2026-11-20t10:00:00z":            "2026-11-20T10:00:00.000Z",
		"2026-11-20T10:00:00.9999999999Z": "2026-11-20T10:00:00.999Z",
		"2026-11-20T10:00:00+23:59":       "2026-11-19T10:01:00.000Z",
		"2026-11-20T10:00:00-23:59":       "2026-11-21T09:59:00.000Z",
		"2026-11-20T10:00:00-00:00":       "2026-11-20T10:00:00.000Z",
		"2026-11-20T10:00:00":             "",
		"2026-11-20 10:00:00Z":            "",
		"2026-11-20T9:00:00Z":             "",
		"2026-11-20T10:00Z":               "",
		"2026-11-20T10:00:00,5Z":          "",
		"2026-11-20T10:00:00.Z":           "",
		"2026-11-20T24:00:00Z":            "",
		"2026-11-20T10:00:00+10:60":       "",
		"2026-11-20T10:00:00+24:00":       "",
		"2026-11-20T10:00:00+24:01":       "",
		"2026-11-20T10:00:00-24:60":       "",
		"2026-11-20T10:00:00+1:00":        "",
		"2026-11-20T10:00:00+0100":        "",
		"2026-02-29T10:00:00Z":            "",
		"02026-11-20T10:00:00Z":           "",
		"2026-11-20T10:00:00Z\n":          "",
		"":                                "",
	} {
		got, err := ParseTime(text)
		if want == "" {
			if err == nil {
				t.Errorf("%q is read as %s", text, got)
			}
			continue
		}
		if err != nil || got.String() != want {
			t.Errorf("%q is read as %s (%v), want %s", text, got, err, want)
		}
		var unmarshalled Time
		if err := json.Unmarshal([]byte(`"`+text+`"`), &unmarshalled); err != nil || unmarshalled != got {
			t.Errorf("in JSON %q is read as %s (%v), want %s", text, unmarshalled, err, got)
		}
	}
}
