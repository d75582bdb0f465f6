// Package room is the place to meet: a permanent link, a name, a lock and
// settings. The meeting that runs in it is package live; the ways in are
// package join.
//
//	            PATCH locked: true
//	unlocked  ---------------------->  locked      DELETE, from either
//	          <----------------------            ---------------------->  deleted
//	            PATCH locked: false
//
// A locked room admits no new people. When a room is deleted, its link, tokens
// and join links stop working and its meeting ends. Its row stays, so that lists
// can continue after it and recordings can still refer to it.
//
// The rules of the settings are pure functions in settings.go. Through the hooks
// of Service, other features learn that a room was changed or deleted and act on
// its running meeting.
package room
