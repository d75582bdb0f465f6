// Package stream sends people's devices what happens in a room.
//
// Each device follows one stream of server-sent events. The stream sends the
// whole state in parts: the room, the person themselves, the people in the
// meeting, and the parts of the features above (Board). It sends a part again when
// the part has changed. So a lost message never leaves a device wrong, and a
// reconnect needs no special treatment.
//
//	a change            Changed raises the room's revision and wakes,
//	  |                 once the transaction is committed
//	  v
//	every stream        shares a reading with the others that were woken (together);
//	  |                 parts that are the same for everybody who follows the room
//	  |                 are read once for each revision (views)
//	  v
//	the device          gets the parts that differ from what it has
//
// The list of people may be long. A device that asks for it gets what changed since
// the list it has (roster), and the whole list only when a node does not know that
// one.
//
// People who wait in the line follow a stream as well. It sends who they are (`you`)
// and the door's decision (`door`), and the room if they may know it. It wakes only
// when that decision may change (DoorChanged). While they follow, they count as being
// there. Absences are noted when they last, and many together (service_presence.go),
// because strangers can open and close streams at will.
//
// docs/reference/meeting-protocol.md names the parts and the last events of a
// stream.
package stream
