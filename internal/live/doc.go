// Package live compares the meetings in the database with the media server.
//
// A meeting starts when the first person is in. It closes ten seconds after the
// last person left, unless a device is on its way in at that moment, or at once
// when it is ended or its room is deleted. Package
// seat draws what happens to a person's seat in the meantime.
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
// A hint of the media server, a request, a timer and the start of the service
// cause a Sync. Nodes divide the Syncs that come by timer (TickShare). Lost, late and
// repeated hints cannot make the event log wrong, and a person who joined leaves exactly
// once. A hint that somebody left also tells a goodbye from a lost network.
//
// The snapshot does not show why somebody is no longer connected. The gate
// hears a client say goodbye (Goodbye). So does the media server, but it reports
// goodbyes only of devices whose media connection it saw established, and to one
// node. The gate hears it before the media server notices. So for a device whose
// goodbye the media server will not report here, the plan requests another Sync soon.
//
// A node runs one Sync of a room at a time. It sends the result to the media
// server before the next Sync begins. Syncs of two nodes may overlap. So the
// transaction that carries a plan out reads the room's state again, and drops
// the plan if it was made for another state.
//
// Two things depend on one seat only: whether its holder has to leave a media
// room, and what they may do. Before either is sent to the media server, that
// seat is read again. So nobody stays or keeps a right because something else in
// the room changes all the time. Rights are compared with those that the media
// server shows, and sent again until the two agree.
//
// The package also holds what hosts, keys and people themselves do in a running
// meeting (service_control.go, service_mute.go, service_actions.go), and sends people to
// their media rooms (service_place.go).
package live
