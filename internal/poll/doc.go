// Package poll asks questions in meetings and counts the answers.
//
//	            PATCH status closed
//	(asked) open ------------------> closed        DELETE, from either
//	             <------------------        ---------------------------> deleted
//	            PATCH status open
//
// A poll belongs to a room, not to a meeting: it may be asked before anybody has
// joined, and one that is open when a meeting ends is still open in the next.
// While it is open, each person in the meeting has one vote and may change it.
// API keys and hosts in the meeting use the same functions, which write the same
// events.
//
// Where to look: the rules are poll.go (what a poll is, what may be picked),
// view.go (who sees which counts and names) and box.go (the ballot box of an
// anonymous poll). service_board.go shows polls to the people in the meeting.
//
// # Anonymous polls
//
// A voter's device makes a receipt, a random text that it keeps, and sends it
// with the vote. The box stores two things and no link between them: the hash of
// the person, which records that they have voted, and the ballot, under the hash
// of the receipt. Closing the poll counts the ballots and destroys them. So the
// holder of the receipt can change the vote while the poll is open, and nobody
// can change it afterwards, even when the poll is opened again; newcomers then
// vote into an empty box. Destroyed ballots disappear from the files of the
// database too (jobs.go). docs/explanation/anonymous-polls.md says what this can
// promise, and what it cannot.
package poll
