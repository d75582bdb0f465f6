package blob_test

import (
	"fmt"
	"os"
	"testing"

	"github.com/conclave-rooms/conclave/internal/blob/blobtest"
)

func TestMain(m *testing.M) {
	if dir := os.Getenv(storing); dir != "" {
		fmt.Fprintln(os.Stderr, beKilled(dir))
		os.Exit(1)
	}
	os.Exit(blobtest.Run(m))
}
