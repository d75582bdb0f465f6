package livekit

import (
	"strings"
	"testing"
)

func TestTraceKeepsThePanic(t *testing.T) {
	t.Parallel()
	const secret, jwt = "a-secret-of-this-server", "eyJhbGciOiJIUzI1NiJ9.eyJpZGVudGl0eSI6ImFkYSJ9.c2lnbmF0dXJl"
	noise := strings.Repeat("noise\n", traceMost)
	tests := []struct {
		name       string
		pieces     []string
		has, hasNo []string
	}{
		{"nothing", nil, nil, []string{"?"}},
		{"no panic: the end", []string{"first\n", noise, "last\n"}, []string{"last"}, []string{"first"}},
		{"the beginning of a panic", []string{noise, "panic: index out of range\n\ngoroutine 7", noise, "last"}, []string{"panic: index out of range\n\ngoroutine 7"}, []string{"last"}},
		{"a panic in pieces", []string{"x\n", "pan", "ic: ", "boom\n"}, []string{"panic: boom"}, []string{"x\n"}},
		{"the last panic", []string{"panic: survived\n", "panic: not survived\n"}, []string{"panic: not survived"}, []string{"panic: survived"}},
		{"a fatal error", []string{"x\nfatal error: concurrent map writes\n"}, []string{"fatal error: concurrent map writes"}, []string{"x\n"}},
		{"secrets", []string{"panic: " + secret + " " + jwt}, []string{"panic: [redacted] [redacted]"}, []string{secret, jwt}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var tr trace
			for _, piece := range tt.pieces {
				if _, err := tr.Write([]byte(piece)); err != nil {
					t.Fatal(err)
				}
			}
			got := tr.without(secret)
			if len(got) > traceMost {
				t.Errorf("%d bytes are kept", len(got))
			}
			for _, want := range tt.has {
				if !strings.Contains(got, want) {
					t.Errorf("%q is missing in %.200q", want, got)
				}
			}
			for _, no := range tt.hasNo {
				if strings.Contains(got, no) {
					t.Errorf("%q is in %.200q", no, got)
				}
			}
		})
	}
}
