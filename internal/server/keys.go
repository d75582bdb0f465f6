package server

import (
	"crypto/ed25519"
	"encoding/hex"

	"github.com/conclave-rooms/conclave/internal/join"
	"github.com/conclave-rooms/conclave/internal/seal"
)

// derivedKeys are the keys that are derived from the master key, so that what they
// sign is valid after every restart and on every node.
type derivedKeys struct {
	join       join.Keys
	tests      []byte             // for the tokens of connection tests
	statements ed25519.PrivateKey // for statements about the devices of strict meetings
}

func deriveKeys(sealer *seal.Sealer) (derivedKeys, error) {
	derived := map[string][]byte{}
	for _, purpose := range []string{"client tokens", "media server", "networks of seats", "connection tests", "statements of strict meetings"} {
		key, err := sealer.Derive(purpose)
		if err != nil {
			return derivedKeys{}, err
		}
		derived[purpose] = key
	}
	return derivedKeys{
		join: join.Keys{
			Client: derived["client tokens"], Upstream: []byte(hex.EncodeToString(derived["media server"])), Networks: derived["networks of seats"],
		},
		tests:      derived["connection tests"],
		statements: ed25519.NewKeyFromSeed(derived["statements of strict meetings"]),
	}, nil
}
