// Package poll asks questions in meetings and counts the answers.
//
//	            PATCH status closed
//	(asked) open ------------------> closed        DELETE, from either
//	             <------------------        ---------------------------> deleted
//	            PATCH status open
//
// A poll belongs to a room, not to a meeting: it may be asked before anybody
// has come, and one that is open when a meeting ends is there in the next.
// People in the meeting vote while it is open, once each, and may change their
// vote as long as it is. Keys of the API and hosts in the meeting do the same
// through the same functions, and the same events follow.
//
// Where to look: the rules are poll.go (what a poll is, what may be picked),
// view.go (who sees which counts and names) and box.go (the ballot box of an
// anonymous poll). board.go tells people in the meeting.
//
// # Anonymous polls
//
// Whoever votes in one sends a receipt, a random text that stays on their
// device. The box keeps two things and nothing that joins them: the hash of the
// person, which says that they have voted, and what was picked, under the hash
// of the receipt. Closing counts the ballots and destroys them. So a vote can
// be changed by whoever holds its receipt while the poll is open, and by nobody
// afterwards, also when the poll is opened again; newcomers then vote into an
// empty box. What was destroyed disappears from the files of the database too
// (jobs.go). docs/explanation/anonymous-polls.md says what this can promise,
// and what it cannot.
package poll
