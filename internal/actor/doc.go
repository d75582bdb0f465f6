// Package actor finds out who wants to direct a meeting, and what they may do
// there.
//
// The same action is done by a key of the API, by a member who is signed in, and
// by a host in the meeting. Each comes with a proof of its own: a principal, or
// the ticket of a seat. An Authorize turns the proof into an Actor in a
// transaction, usually that of the action, so that the answer is still true
// when the action is written. An action that asks the media server in between
// authorizes first, in a transaction of its own. The action itself is then the
// same for all of them.
//
//	principal -- ByKey ---> Authorize --(tx, Power)--> Actor, or a refusal
//	ticket ----- ByHost -->
package actor
