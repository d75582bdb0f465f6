// Package recording keeps what a host's device records of an encrypted
// meeting.
//
//	           Stop, or the meeting ends,          all parts are here, or the
//	           or the device is gone               device is silent for too long
//	recording ---------------------------> processing ---------------------> ready
//	                                            |
//	                                            | and no part ever came
//	                                            +---------------------------> failed
//
// The service never sees the meeting. A device of one of the room's own hosts
// puts together what it decrypts, cuts it into parts, encrypts each under a key
// made for this recording, and sends the parts while it records. Here they are
// stored as they came. With protection "workspace" the device also gives the
// key, which is sealed and handed out by the API. With "end_to_end" the key is
// only ever sent wrapped for the devices of members, and the service cannot
// open the recording.
//
// What arrived is never lost: a part is acknowledged once it is stored and its
// row is committed. When the device is gone, what has arrived becomes a ready
// recording by itself.
//
// Where to look: recording.go has the rules of a recording's life, part.go those
// of a part, device.go those of members' devices. docs/reference/recordings.md
// is the protocol between device and service, and the format of a part.
package recording
