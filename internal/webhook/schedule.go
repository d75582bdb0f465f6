package webhook

import (
	"slices"
	"time"
)

// delays returns the pauses between attempts. The first attempt is made at once,
// the last one after the last delay (docs/reference/webhooks.md).
func delays() []time.Duration {
	return []time.Duration{10 * time.Second, time.Minute, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour}
}

// AttemptWithin is how long an attempt may take in total: resolving the name, connecting,
// TLS, and the receiver's answer (docs/reference/webhooks.md).
const AttemptWithin = 10 * time.Second

// jitter is the largest random change of a delay, so that deliveries that failed
// together are not all tried again together.
const jitter = 0.1

// Errors of a delivery, in addition to those of package outbound.
const (
	errorRedirect = "redirect"
	errorHTTP     = "http_error"
	errorDisabled = "endpoint_disabled"
)

// outcome is the result of an attempt.
type outcome struct {
	Status     int    // zero: no answer
	Error      string // "": the attempt succeeded
	Lasting    bool   // another attempt would not help
	RetryAfter time.Duration
}

// outcomeOf turns an answer into an outcome.
func outcomeOf(status int, retryAfter time.Duration) outcome {
	o := outcome{Status: status}
	switch {
	case status >= 200 && status < 300:
	case status >= 300 && status < 400:
		o.Error = errorRedirect
	case status == 408, status == 429, status >= 500, status < 200:
		o.Error = errorHTTP
	default:
		o.Error, o.Lasting = errorHTTP, true
	}
	if status == 429 || status == 503 {
		o.RetryAfter = retryAfter
	}
	return o
}

// next returns how long to wait after a failed attempt; step counts the attempts
// so far, and chance is a random number between 0 and 1. It returns false after
// the last attempt.
//
// Retry-After may make the wait longer, but not beyond the time of the attempt
// after the next one: a receiver can ask for a pause, but not stop the delivery.
func next(step int, o outcome, chance float64) (time.Duration, bool) {
	plan := delays()
	if o.Lasting || step > len(plan) {
		return 0, false
	}
	delay, latest := plan[step-1], plan[step-1]
	if step < len(plan) {
		latest += plan[step]
	}
	delay += time.Duration(float64(delay) * jitter * (2*chance - 1))
	return min(max(delay, o.RetryAfter), max(latest, delay)), true
}

// failingTooLong reports whether an endpoint has failed for so long that it must
// be disabled.
func failingTooLong(since, now time.Time) bool {
	return !since.IsZero() && now.Sub(since) >= failingFor
}

// statuses of a delivery.
const (
	statusPending   = "pending"
	statusRetrying  = "retrying"
	statusSucceeded = "succeeded"
	statusFailed    = "failed"
)

// underWay reports whether another attempt of a delivery will follow.
func underWay(status string) bool {
	return slices.Contains([]string{statusPending, statusRetrying}, status)
}
