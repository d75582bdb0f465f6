// Package webhook tells customers' servers what happened. Endpoints subscribe to
// types of events; each event is signed and delivered at least once to each of
// them, from a queue in the database.
//
// An event is written in the transaction of the change that it reports. FanOut
// runs in the same transaction and queues a delivery, which is a row and a job
// (package job), for every endpoint that subscribes to the event. So an event
// that is committed is delivered, and one that is rolled back is not. Deliver
// carries out the job.
//
//	                2xx                                  2xx
//	pending -----------------> succeeded <---------------------------- retrying
//	   |                           ^                                   |  ^  |
//	   |                           | 2xx         resend, recover       |  |  | fails again: 10 s, 1 min,
//	   |   may get better: 3xx,    +-------------- (pending) <-----+   |  +--+ 5 min, 30 min, 2 h
//	   +-- 408, 429, 5xx, no answer -----------------------------------+
//	   |                                                           |   |
//	   |   4xx, or the endpoint was disabled                       |   | the last attempt fails, 4xx,
//	   +---------------------------------> failed -----------------+   | or the endpoint was disabled
//	                                         ^-------------------------+
//
// Each endpoint is a lane of the queue with four slots, so a slow endpoint does
// not delay the others. Disabling or deleting it stops its deliveries at once;
// after it is enabled, it gets the events that follow. After five days of nothing
// but failures the service disables it and sets disabled_reason.
//
// A recovery (service_recover.go) queues the events that an endpoint missed. It is
// a row and a job, too: the request counts the events, and the job queues them in
// batches, so that neither the caller nor other writers wait for all of them.
//
// The rules are pure functions: which endpoints want an event (endpoint.go), what
// an answer means and when the next attempt is (schedule.go), and how a request is
// signed (signature.go). Customers choose the addresses, so every request goes
// through package outbound. docs/reference/webhooks.md describes webhooks to
// customers.
package webhook
