package webhook

import (
	"slices"
	"time"
)

// delays are between attempts: the first one is made at once, and after the
// last delay comes the last one (docs/reference/webhooks.md).
func delays() []time.Duration {
	return []time.Duration{10 * time.Second, time.Minute, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour}
}

// jitter is how far a delay may be off, so that what failed together does not
// come back together.
const jitter = 0.1

// Errors of a delivery beside those of package outbound.
const (
	errorRedirect = "redirect"
	errorHTTP     = "http_error"
	errorDisabled = "endpoint_disabled"
)

// outcome is what an attempt came to.
type outcome struct {
	Status     int    // zero: no answer
	Error      string // "": it succeeded
	Lasting    bool   // another attempt would not help
	RetryAfter time.Duration
}

// judge says what an answer means.
func judge(status int, retryAfter time.Duration) outcome {
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

// next is how long to wait after an attempt that failed; step counts the
// attempts so far, and chance is between 0 and 1. False: that was the last one.
//
// Retry-After may make it longer, but not past where the attempt after the next
// one would have been: a receiver can ask for a pause, not for the end.
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

// failingTooLong says whether an endpoint has failed for so long that it is
// disabled.
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

// underWay says whether a delivery has an attempt before it.
func underWay(status string) bool {
	return slices.Contains([]string{statusPending, statusRetrying}, status)
}
