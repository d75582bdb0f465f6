// Package mediaclient is a person with real media, in Go.
//
// Participant connects as a browser would, publishes encrypted sound and
// pictures (a tone and a stripe, in frames/, made by frames/generate.html), and
// counts the frames of others that it could decrypt. So a test with two of them can
// tell whether they hear each other. Device also follows the stream of the meeting, and
// goes to the breakout where its person belongs. The load command sends crowds of
// devices; tests also use what an honest client would never send.
package mediaclient
