package webhook

import (
	"log/slog"
	"testing"
	"time"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/db/dbtest"
	"github.com/conclave-rooms/conclave/internal/job"
)

// Two attempts to an endpoint fail in the same moment. The first one disables it, which
// ends all deliveries to it. The second one does not bring its delivery back.
func TestADeliveryStaysEndedWhenItsEndpointIsDisabled(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		dbtest.Change(t, d, `INSERT INTO workspace (id, name, created_at) VALUES ('acme', 'Acme', 0)`)
		now := time.Now()
		jobs := job.New(job.Config{Name: "webhook", Slots: 1, DB: d, Now: time.Now, Logger: slog.New(slog.DiscardHandler)})
		s := &Service{Jobs: jobs, Logger: jobs.Logger}
		shop := Endpoint{
			ID: "shop", WorkspaceID: "acme", URL: "https://shop.example", Events: []api.EventType{"*"}, Enabled: true, CreatedAt: now,
			FailingSince: now.Add(-failingFor),
		}
		before := func(id string, step int) Delivery {
			return Delivery{ID: id, EndpointID: "shop", EventID: id, EventType: api.EventRoomCreated, Status: statusRetrying, Step: step, CreatedAt: now}
		}
		last, other := before("1", 5), before("2", 1)
		var got []Delivery
		err := d.Write(t.Context(), func(tx *db.Tx) (err error) {
			if err := insertEndpoint(t.Context(), tx, shop); err != nil {
				return err
			}
			if err := insertDeliveries(t.Context(), tx, []Delivery{last, other}); err != nil {
				return err
			}
			// The queue has ended the job of the first delivery, and postponed the second one's.
			if err := jobs.Add(t.Context(), tx, other.ID, "shop", now.Add(time.Minute)); err != nil {
				return err
			}
			for _, after := range []Delivery{last.after(outcome{Error: "timeout"}, false), other.after(outcome{Error: "timeout"}, true)} {
				if err := s.recordFailure(t.Context(), tx, shop, after, now); err != nil {
					return err
				}
			}
			got, err = listDeliveries(t.Context(), tx, "shop")
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		want := map[string]string{last.ID: "timeout", other.ID: errorDisabled}
		for _, one := range got {
			if one.Status != statusFailed || one.Error == nil || *one.Error != want[one.ID] {
				t.Errorf("delivery %s is %+v, want it failed because of %q", one.ID, one, want[one.ID])
			}
		}
		if len(got) != len(want) {
			t.Errorf("there are %d deliveries", len(got))
		}
	})
}
