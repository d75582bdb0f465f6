// Package turn passes media on for people whose network lets nothing else
// through. Their devices speak TURN (RFC 8656) to this server, over TLS on the
// port of HTTPS or over UDP on a port of its own, and the server passes their
// packets on to the media server:
//
//	device ──TLS, 443──► Split ──STUN──► Server ──UDP──► media server
//	                       └──HTTP──► the service
//
// A TURN server usually reaches whatever its machine reaches. This one reaches
// the media addresses of the cluster's nodes and nothing else: a packet to
// another address or port is refused, and a packet from elsewhere is dropped. It
// makes no TCP connections.
//
// The media server gives devices that it lets in a user name with an expiry, and
// a password that is a signature of the name (CredentialsOf). An allocation, which
// is one socket of this server for one device, ends when the name expires, when
// the media server has sent nothing for a minute, as it does when the person was
// removed, or with the device's connection. A person has a bounded number of
// them, and so has everybody together. The media server gives a person another id
// with each connection, so one network gets only a part of them.
package turn
