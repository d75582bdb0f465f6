// Package mediatest tests media servers.
//
// Exercise is the suite that every media.Server has to pass, the fake one and
// the real one. Participant is a person with real media: it connects as a
// browser would, publishes encrypted sound and pictures (a tone and a stripe,
// in frames/, made by frames/generate.html), and counts the frames of others
// that it could decrypt. With two of them a test knows who hears the other.
package mediatest
