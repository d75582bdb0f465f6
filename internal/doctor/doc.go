// Package doctor finds out why a service does not work, or would not work if it were
// started: it tries, one after the other, everything that a service needs, and says
// for each what it found and what to do.
//
// A check is a function that returns a Finding (checks in machine.go, data.go,
// address.go and call.go); Examine runs them in order. It skips a check that needs what
// an earlier one found broken, so that one cause is reported once. Checks change
// nothing that lasts: they do not bring the database up to date, and delete the object
// that they write into the bucket. Only the test call, for which an operator gives a
// key, makes a room, and deletes it.
package doctor
