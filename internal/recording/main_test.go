package recording_test

import (
	"os"
	"testing"

	"github.com/conclave-rooms/conclave/internal/blob/blobtest"
)

func TestMain(m *testing.M) { os.Exit(blobtest.Run(m)) }
