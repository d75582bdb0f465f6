package main_test

import (
	"os"
	"strconv"
	"testing"
	"time"
)

// Some tests have a short form, which is a part of the suite, and a long one. These
// variables say how long; `make test-long` sets them.
const (
	killsEnv  = "CONCLAVE_TEST_KILLS"  // how often the service is killed
	outageEnv = "CONCLAVE_TEST_OUTAGE" // how long Redis is gone
	soakEnv   = "CONCLAVE_TEST_SOAK"   // how long the service is used
)

func killsWanted(t *testing.T, kills int) int {
	t.Helper()
	text := os.Getenv(killsEnv)
	if text == "" {
		return kills
	}
	kills, err := strconv.Atoi(text)
	if err != nil || kills < 1 {
		t.Fatalf("%s is %q", killsEnv, text)
	}
	return kills
}

func timeWanted(t *testing.T, variable string, short time.Duration) time.Duration {
	t.Helper()
	text := os.Getenv(variable)
	if text == "" {
		return short
	}
	long, err := time.ParseDuration(text)
	if err != nil || long <= 0 {
		t.Fatalf("%s is %q", variable, text)
	}
	return long
}
