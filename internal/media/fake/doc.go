// Package fake is a media server in memory, for the stories of the features:
// it carries no sound, and does everything else LiveKit does for us, at once
// and in order. mediatest.Exercise holds it to the same behaviour.
//
// A test plays the people (Join, Publish, Leave, Vanish) and the accidents: a
// media server that restarts and forgets (Restart), that does not answer
// (Down), and that loses its hints (LoseHints).
package fake
