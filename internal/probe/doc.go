// Package probe is the service's side of the connection test, with which people find
// out before a meeting whether sound and pictures will reach them, and which way.
//
//	page ──POST /meet/v1/connection-tests──► a token, valid for a minute
//	page ──/rtc──► gate ──LetThrough──► an empty media room, for 20 seconds
//
// The page connects once for each way (UDP, TCP, TURN) and looks at which of them
// succeed. Every connection gets a media room of its own in which it is alone,
// publishes nothing and sends no data, so a test carries nothing from one person to
// another.
//
// A token goes only to people who could reach the media server anyway: visitors whom a
// room lets in, or lets wait, and people who are signed in. A stranger who knows no
// room gets nothing. Each address may begin a limited number of tests, and MostAtOnce
// bounds the connections of tests on a node, of which one network gets only a share
// (slots).
package probe
