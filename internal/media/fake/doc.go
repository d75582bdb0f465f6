// Package fake is a media server in memory, for the stories of the features. It carries
// no sound. Everything else that the service needs of LiveKit happens at once and in
// order. mediatest.Exercise checks that both behave the same.
//
// A test acts for people (Join, Publish, Leave, Vanish) and causes failures: a
// media server that restarts and forgets (Restart), that does not answer
// (Down), and that loses its hints (LoseHints).
package fake
