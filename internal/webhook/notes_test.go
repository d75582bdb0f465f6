package webhook

import (
	"slices"
	"testing"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/db"
	"github.com/conclave-rooms/conclave/internal/db/dbtest"
)

// Deliveries that succeed together are written with one statement, each with its own
// number of attempts and its own answer.
func TestDeliveriesThatSucceedTogether(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		before := func(id, event string, attempts, step int) Delivery {
			return Delivery{
				ID: id, EndpointID: "shop", EventID: event, EventType: api.EventRoomCreated, Status: statusRetrying, Attempts: attempts, Step: step,
				CreatedAt: db.At(1_800_000_000_000),
			}
		}
		all := []Delivery{before("3", "c", 7, 0), before("2", "b", 3, 2), before("1", "a", 0, 0)} // as they are listed
		var after []Delivery
		var notes []any
		for i, one := range all {
			after = append(after, one.after(outcome{Status: 200 + i}, false))
		}
		for _, one := range after[:2] {
			notes = append(notes, one)
		}
		var got []Delivery
		err := d.Write(t.Context(), func(tx *db.Tx) (err error) {
			if err := insertDeliveries(t.Context(), tx, all); err != nil {
				return err
			}
			if err := (&Service{}).WriteNotes(t.Context(), tx, notes); err != nil {
				return err
			}
			got, err = listDeliveries(t.Context(), tx, "shop")
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		want := []Delivery{after[0], after[1], all[2]} // the third is not among the notes
		if !slices.EqualFunc(got, want, same) {
			t.Errorf("the deliveries are %+v, want %+v", got, want)
		}
	})
}

// same compares deliveries by value, including what their pointers point to.
func same(a, b Delivery) bool {
	value := func(p *int) int {
		if p == nil {
			return 0
		}
		return *p
	}
	codes := value(a.ResponseCode) == value(b.ResponseCode)
	a.ResponseCode, b.ResponseCode = nil, nil
	return codes && a == b
}
