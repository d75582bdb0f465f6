package schema

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// BenchmarkParse measures the parser of bodies beside encoding/json, which is not
// strict enough for them, with the bodies of decision 24.
func BenchmarkParse(b *testing.B) {
	var placements []string
	for i := range 200 {
		placements = append(placements, fmt.Sprintf(`{"participant": "participant-%d", "room": %d}`, i, i%10))
	}
	for _, body := range []struct{ name, text string }{
		{"fields", `{"name": "Notes", "note": "abc", "paper": {"size": "a5", "ruled": true}, "count": 3}`},
		{"placements", `{"placements": [` + strings.Join(placements, ", ") + `]}`},
		{"escapes", `{"text": "` + strings.Repeat(`line \u00e9\n`, 3000) + `"}`},
	} {
		text := []byte(body.text)
		b.Run(body.name+"/ours", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := parseObject(text); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(body.name+"/encoding-json", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				var v map[string]any
				if err := json.NewDecoder(bytes.NewReader(text)).Decode(&v); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
