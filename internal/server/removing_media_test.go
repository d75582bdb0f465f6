package server_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/conclave-rooms/conclave/internal/media/mediaclient"
)

// LiveKit's own Go library learns that it was removed, so that it does not try to
// come back. Each is the last one in their meeting: nothing else may reach them
// first, such as the end of the media room.
func (r *running) testStockRemoved(t *testing.T) {
	t.Parallel()
	for i := range 12 {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			t.Parallel()
			room := r.room(t, nil)
			token := r.token(t, room, "Stock", "participant")
			stock, err := mediaclient.ConnectStock(limited(t), mediaclient.Options{URL: token.ServerURL, Token: token.Token, Passphrase: token.E2EEPassphrase})
			if err != nil {
				t.Fatal(err)
			}
			defer stock.Disconnect()
			r.within(t, patience, "the stock client is in", func() bool { return len(r.people(t, room)) == 1 })
			r.api(t, http.MethodDelete, "/rooms/"+room.ID+"/participants/"+stock.Identity(), nil, nil)
			select {
			case why := <-stock.Gone():
				if why != "PARTICIPANT_REMOVED" {
					t.Errorf("the stock client got the reason %q", why)
				}
			case <-time.After(patience):
				t.Error("the stock client is still connected")
			}
		})
	}
}
