package livekit

import (
	"slices"
	"testing"
)

// Without TURN, LiveKit would send devices to the STUN servers of other companies if
// the list of STUN servers were empty. The port for media must not be on that list, nor
// a port that browsers refuse to use.
func TestSTUNServersOfDevices(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		config EmbedConfig
		want   []string
	}{
		"without TURN":         {EmbedConfig{NodeIP: "203.0.113.7", UDPPort: 7882}, []string{"203.0.113.7:3478"}},
		"media at STUN's port": {EmbedConfig{NodeIP: "203.0.113.7", UDPPort: 3478}, []string{"203.0.113.7:3479"}},
		"without TURN, IPv6":   {EmbedConfig{NodeIP: "2001:db8::7", UDPPort: 7882}, []string{"[2001:db8::7]:3478"}},
		"TURN over UDP":        {EmbedConfig{NodeIP: "203.0.113.7", UDPPort: 7882, TURN: TURN{UDPPort: 3478}}, nil},
		"TURN over TLS":        {EmbedConfig{NodeIP: "203.0.113.7", UDPPort: 7882, TURN: TURN{TLSHost: "meet.example.com", TLSPort: 443}}, nil},
	} {
		if got := c.config.stunServers(); !slices.Equal(got, c.want) {
			t.Errorf("%s: devices get the servers %v, want %v", name, got, c.want)
		}
	}
}
