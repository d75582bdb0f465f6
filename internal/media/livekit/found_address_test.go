package livekit

import (
	"testing"
	"time"
)

// By default, LiveKit waits a second before it uses a way to an address that the client
// did not name, and the gate removes the addresses that clients name. Everybody whose
// client leaves the choice to LiveKit would come in a second later. LiveKit takes zero
// for the default.
func TestAWayToAFoundAddressIsTakenAtOnce(t *testing.T) {
	t.Parallel()
	conf, err := EmbedConfig{NodeIP: "127.0.0.1", APIKey: "key", APISecret: "a secret of at least 32 characters"}.livekit("http://127.0.0.1:1")
	if err != nil {
		t.Fatal(err)
	}
	if wait := conf.RTC.PrflxAcceptanceMinWait; wait <= 0 || wait > time.Millisecond {
		t.Errorf("LiveKit waits %v", wait)
	}
}
