// Package servertest runs the whole service inside a test: real handlers, a
// real database, a media server in memory, and a clock that only the test
// moves. Nothing happens in the background by itself; Settle does everything
// that is due.
//
// It also runs stories: text files below testdata/stories of the features,
// which read as a specification and run on both databases.
//
//	# A meeting starts with the first person and closes when it is empty.
//	key all scopes=all
//	api POST /rooms {"name": "Weekly"}
//	save ROOM id
//	events room.created
//
//	api POST /rooms/$ROOM/tokens {"name": "Ada"}
//	save TOKEN token
//	connect ada $TOKEN
//	events room.started participant.joined=Ada
//
//	leave ada
//	clock +10s
//	events participant.left=Ada:left room.finished:empty
//
// Every answer is checked against the OpenAPI document, and a story fails on
// events that none of its lines names. commands.go lists the words.
package servertest
