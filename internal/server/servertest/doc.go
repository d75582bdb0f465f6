// Package servertest runs the whole service inside a test: real handlers, a
// real database, a media server in memory and a clock that stands until the
// test moves it. Nothing happens in the background at a time of its own
// choosing; Settle lets everything happen that is due.
//
// On top of it stand the stories: text files below testdata/stories of the
// features, which read as a specification and are run on both databases.
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
// Every answer is held against the OpenAPI document, and events that no line
// of a story names fail it. commands.go lists the words.
package servertest
