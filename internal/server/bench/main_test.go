package bench

import (
	"os"
	"testing"

	"github.com/conclave-rooms/conclave/internal/blob/blobtest"
	"github.com/conclave-rooms/conclave/internal/media/livekit"
)

func TestMain(m *testing.M) {
	livekit.RunIfChild()
	os.Exit(blobtest.Run(m))
}
