// Package group is the delivery service of strict rooms.
//
// In a strict room the keys exist only on people's devices. The devices in one media
// room, a place, form an MLS group (RFC 9420): each change of who is there is a
// commit that leads to a new epoch with new keys. This package stores what devices
// send each other for that, and says who is there. It does not read MLS messages.
//
//	statement      the service signs who the device is
//	    |
//	key package    the device waits to be added ... as soon as the gate has let it in
//	    |
//	commit         a member adds and removes; the first one in an epoch wins
//	    |
//	member         until a commit removes it, it leaves, is removed or is moved,
//	               or sends a new key package because it lost its state
//
// A device that cannot be in the group refuses it (refusal.go). When most people do, the
// group is over, so that one device cannot keep the others apart. Those that groups have
// left out more often make the next one first (turn.go).
//
// A place has no group until a device that waits creates one, and none again when its
// last member is gone. Everything about a meeting is deleted when the meeting ends.
//
// Who counts as present follows the seats (device.go): a device is present as soon as
// the gate lets it into the media room, while its media connection is being made. It
// stops being present in the transaction in which its seat leaves, is removed, is lost
// or belongs elsewhere, or in which the room is locked while it is still on its way in. Package stream calls its hook OnChange in each
// transaction that changes a meeting, and wire.go connects the hook to SeatsChanged. So
// no feature below has to know of groups.
//
// Where to look: place.go has the rules of a place, statement.go what is signed,
// service_board.go what devices are shown. docs/reference/meeting-protocol.md,
// "Strict rooms", is the whole protocol.
package group
