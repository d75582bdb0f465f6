package extendedconnect

import (
	"os"
	"strings"
)

const name = "http2xconnect"

func init() { //nolint:gochecknoinits // see doc.go
	value := os.Getenv("GODEBUG")
	if strings.Contains(value, name) {
		return // an operator has decided
	}
	_ = os.Setenv("GODEBUG", strings.TrimPrefix(value+","+name+"=1", ",")) // fails only for invalid names
}
