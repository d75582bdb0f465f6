// Package recording stores recordings of encrypted meetings, which hosts' devices
// make.
//
//	           Stop, or the meeting ends,          all parts are stored, or the
//	           or the device is gone               device is silent for too long
//	recording ---------------------------> processing ---------------------> ready
//	                                            |
//	                                            | and no part ever came
//	                                            +---------------------------> failed
//
// The service never sees the meeting. A device of one of the room's own hosts
// combines what it decrypts, cuts it into parts, encrypts each with a key made for
// this recording, and sends the parts while it records. The service stores them
// unchanged. With protection "workspace" the device also sends the key, which the
// service seals and the API hands out. With "end_to_end" the device only sends the key
// wrapped for the devices of members, and the service cannot open the recording.
//
// No acknowledged part is lost: a part is acknowledged once it is stored and its row
// is committed. When the device disappears, the parts that have arrived become a ready
// recording.
//
// Where to look: recording.go has the rules of a recording's life, part.go those
// of a part, device.go those of members' devices. docs/reference/recordings.md
// is the protocol between device and service, and the format of a part.
package recording
