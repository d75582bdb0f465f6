// Package live compares the meetings in the database with the media server.
//
// A meeting starts when the first person is in. It closes ten seconds after the
// last one left, or at once when it is ended or its room is deleted. Package
// seat draws what happens to a person's seat meanwhile.
//
// The media server knows who is connected and forgets everything else; the
// database remembers. Sync makes the two agree about one room:
//
//	state    what the database remembers      readState
//	snapshot what the media server shows      takeSnapshot
//	outcome  what the two mean together       plan, a pure function
//	         changes and events               carryOut, in one transaction
//	         who has to go, who may do what   tellMedia
//
// Everything that may have changed something merely causes a Sync: a hint of
// the media server, a request, a timer, a start. So lost, late and repeated
// hints cannot make the event log wrong, and a person who joined leaves exactly
// once.
//
// On one node one Sync at a time looks at a room. It tells the media server what
// it found before the next one looks. Syncs of two nodes may overlap. So the
// transaction that carries a plan out reads the room's state again, and drops
// the plan if it was made for another state.
//
// Two things depend on one seat only: whether its holder has to leave a media
// room, and what they may do. Before the media server is told either, that seat
// is read again. So nobody stays or keeps a right because something else in the
// room changes all the time. Rights are compared with those that the media
// server shows, and told again until the two agree.
//
// What hosts, keys and people themselves do to a running meeting is here too
// (service_control.go, service_mute.go, service_actions.go), as are its media
// rooms and their passphrases (service_media.go).
package live
