package extendedconnect

import "os"

const setting = "http2xconnect=1"

func init() { //nolint:gochecknoinits // see doc.go
	value := setting
	if others := os.Getenv("GODEBUG"); others != "" {
		value = others + "," + setting
	}
	_ = os.Setenv("GODEBUG", value) // fails for names that are none
}
