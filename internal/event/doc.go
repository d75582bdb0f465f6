// Package event is the log of events for customers.
//
// An event is a row, written in the transaction of the change that it reports,
// so that the change and its event are both there, or neither is. Webhooks, the
// API (http.go) and the command line read the log. Events are kept for thirty
// days.
package event
