// Package media is what the service needs of a media server, and no more.
//
// The one that ships is LiveKit (package livekit below this one), as a child process
// or reached over the network. Package fake is the other implementation, on which the
// stories of the features run. mediatest.Exercise checks that both behave the same.
//
// A media server forgets: it restarts, and its hints get lost. So nothing here
// is a source of truth about the past; package live converges on what Rooms and
// Participants say now.
package media
