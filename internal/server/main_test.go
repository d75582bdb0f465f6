package server_test

import (
	"testing"

	"github.com/conclave-rooms/conclave/internal/media/livekit"
)

func TestMain(m *testing.M) {
	livekit.RunIfChild()
	m.Run()
}
