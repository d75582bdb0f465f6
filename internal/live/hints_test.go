package live_test

import (
	"encoding/json"
	"testing"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/db/dbtest"
	"github.com/conclave-rooms/conclave/internal/server/servertest"
)

// hear passes on the hints that wait.
func (o one) hear() {
	for {
		select {
		case h := <-o.Media.Hints():
			o.Live.HandleHint(h)
		default:
			return
		}
	}
}

// A Sync begins because Ada's connection was lost. While it asks the media server, Ada
// comes back and leaves with a goodbye. The Sync has acted on the first hint only: the
// goodbye counts in the next one.
func TestAGoodbyeDuringASyncCounts(t *testing.T) {
	t.Parallel()
	dbtest.EachConfig(t, func(t *testing.T, where db.Config) {
		ada := withAda(t, servertest.Start(t, where, servertest.Options{}), api.RoomSettingsUpdate{})
		m := &slow{Server: ada.Media}
		m.meanwhile = func() {
			ada.connect(t, ada.token)
			if err := m.Leave(ada.roomID, ada.identity); err != nil {
				t.Error(err)
			}
			ada.hear()
		}
		ada.Live.Media = m
		if err := m.Vanish(ada.roomID, ada.identity); err != nil {
			t.Fatal(err)
		}
		ada.Settle()
		var left []string
		for _, e := range ada.EventLog() {
			if e.Type != api.EventParticipantLeft {
				continue
			}
			var data api.ParticipantEvent
			if err := json.Unmarshal(e.Data, &data); err != nil {
				t.Fatal(err)
			}
			left = append(left, data.Reason)
		}
		if len(left) != 1 || left[0] != "left" {
			t.Errorf("Ada left with the reasons %v, want one: left", left)
		}
	})
}
