// Package webhook tells customers' servers what happened: endpoints that
// subscribe to types of events, and the delivery of each event to each of them,
// signed, at least once, from a queue that survives whatever happens here.
//
// An event is written in the transaction of the change it tells of. FanOut runs
// in the same transaction and promises a delivery to every endpoint that wants
// the event: a row and a job (package job) each. So an event that is committed
// is delivered, and one that is not is never told. Deliver then does the job.
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
// An endpoint is a lane of the queue with four slots: a slow one holds up
// nobody else. Disabling or deleting it stops its deliveries at once; enabling
// it begins with the events that follow. After five days of nothing but
// failures the service disables it by itself and says so in disabled_reason.
//
// The rules are pure functions: who wants an event (endpoint.go), what an answer
// means and when the next attempt is (schedule.go), and how a request is signed
// (signature.go). The addresses are strangers', so every request goes through
// package outbound. docs/reference/webhooks.md tells it to customers.
package webhook
