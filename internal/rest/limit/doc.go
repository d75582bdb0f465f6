// Package limit counts how often something may happen within a time.
//
// A Limiter is asked before each request whether this subject (a key, an
// address, a room) may make one more. Memory counts for one node, SQL for
// several nodes that share a PostgreSQL database. Both apply the same rule,
// window.take, and pass the same tests.
//
// The window slides: at no moment do more than Count requests lie within the
// last Window. Requests shortly after each other are stored as one slice of up
// to a twentieth of the window, and count until the last of them has left the
// window. So a subject at its limit waits up to a twentieth longer than
// strictly needed; in exchange, about twenty numbers are stored instead of
// hundreds of times.
package limit
