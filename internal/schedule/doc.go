// Package schedule is the workspace's calendar: meetings that are planned for a
// time, once or repeatedly, and may name the room they take place in. It does not
// control who may enter a room or when. Running meetings are package live.
//
//	POST                 PATCH
//	----->  scheduled  --------->  scheduled     DELETE, from either
//	                                            ---------------------> cancelled
//
// A scheduled meeting belongs to a workspace and records the account whose key
// created it. When its room is deleted, it stays without a room. A cancelled
// meeting is not found by any request, except that a list can be continued after
// it. Its row is deleted after thirty days.
//
// # Series
//
// A meeting that repeats is one object. Its occurrences are not stored: they
// follow from the first one, the rule and the time zone (recurrence.go), as RFC
// 5545 defines them, so that calendars agree. zone.go converts between moments
// and local times.
//
// # Lists
//
// A list shows the meetings that overlap a window, sorted by the start of their
// first occurrence in it. Meetings that do not repeat are found with an index of
// the database. For series an index does not help, because nearly every series has
// an occurrence in nearly every window. So each node keeps the rules of a
// workspace's series in memory (service_index.go), computes the next occurrence of
// each, and reads only the rows it shows. A revision in the database tells whether the
// series in memory are current
// (docs/decisions/0018-series-in-memory.md).
//
// Where to look: meeting.go and recurrence.go are the rules, service.go and
// service_list.go the transactions.
package schedule
