// Package room is the place to meet: a permanent link, a name, a lock and
// settings. The meeting that runs in it is package live; the ways in are
// package join.
//
//	            PATCH locked: true
//	unlocked  ---------------------->  locked      DELETE, from either
//	          <----------------------            ---------------------->  deleted
//	            PATCH locked: false
//
// A locked room admits nobody new. A deleted room's link, tokens and join
// links stop working and its meeting ends; the row stays, so that a list can
// be continued after it and recordings keep their place.
//
// The rules of the settings are pure functions in settings.go. What happens in
// a running meeting when a room changes or goes is told to other features by
// the hooks of Service.
package room
