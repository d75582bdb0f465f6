package asset_test

import (
	"bytes"
	"compress/gzip"
	"strconv"
	"testing"

	"github.com/conclave-rooms/conclave/internal/asset"
)

// What it costs to compress an answer of 10 kB, beside a new writer for each.
func BenchmarkGzip(b *testing.B) {
	var answer bytes.Buffer
	for i := range 100 {
		answer.WriteString(`{"id":"room_` + strconv.Itoa(i*7919) + `","name":"Weekly meeting","mode":"meeting","max_participants":100,"locked":false},`)
	}
	b.Run("kept writers", func(b *testing.B) {
		b.ReportAllocs()
		var packer asset.Packer
		for b.Loop() {
			if _, err := packer.Gzip(answer.Bytes()); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("new writers", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			var packed bytes.Buffer
			w := gzip.NewWriter(&packed)
			if _, err := w.Write(answer.Bytes()); err != nil {
				b.Fatal(err)
			}
			if err := w.Close(); err != nil {
				b.Fatal(err)
			}
		}
	})
}
