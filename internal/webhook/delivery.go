package webhook

import (
	"time"

	"github.com/conclave-rooms/conclave/api"
)

// Delivery is the sending of one event to one endpoint.
type Delivery struct {
	ID           string
	EndpointID   string
	EventID      string
	EventType    api.EventType
	Status       string
	Attempts     int
	Step         int // attempts since it was last queued
	ResponseCode *int
	Error        *string
	CreatedAt    time.Time
}

// Object is the delivery as the API shows it.
func (d Delivery) Object() api.WebhookDelivery {
	return api.WebhookDelivery{
		Object: "webhook_delivery", ID: d.ID, EventID: d.EventID, EventType: d.EventType, Status: d.Status, Attempts: d.Attempts,
		ResponseCode: d.ResponseCode, Error: d.Error, CreatedAt: api.At(d.CreatedAt),
	}
}

// after returns the delivery after an attempt; again says whether another one
// follows.
func (d Delivery) after(o outcome, again bool) Delivery {
	d.Attempts++
	d.Step++
	d.ResponseCode, d.Error = nil, nil
	if o.Status != 0 {
		d.ResponseCode = &o.Status
	}
	switch {
	case o.Error == "":
		d.Status = statusSucceeded
		return d
	case again:
		d.Status = statusRetrying
	default:
		d.Status = statusFailed
	}
	d.Error = &o.Error
	return d
}

// queued returns the delivery as it starts over. It keeps the result of the last attempt
// until there is another.
func (d Delivery) queued() Delivery {
	d.Status, d.Step = statusPending, 0
	return d
}
