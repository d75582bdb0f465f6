// Package node keeps the list of the processes that serve the same data, for
// operators: who serves, since when, with how many people, and who should take no
// more.
//
// Every node has a row, which it renews every few seconds (Keeper), and takes away
// when it stops. A node whose row is old is lost. An operator drains a node with
// `conclave nodes drain`: that sets a mark in its row, the node reads it within a
// second, and its Keeper says so to the rest of the service, which answers /readyz
// with 503 and lets new meetings begin on other nodes. A node that starts takes
// everything again. A node of a media cluster also drains itself while the clock of its
// machine is wrong and another node can take people (Keeper.OffTime).
//
// A node whose media server does not answer says so in its row, and is out of service
// while another node's answers (Keeper.MediaReady).
//
// A node that starts does not join the list while there is a node of another media
// cluster (Keeper.Join): people of one room would meet in two places.
//
// Nodes divide work among themselves that any of them can do (Keeper.Takes). The list
// decides nothing else. The media servers and Redis decide which node has a room, and db.Claim
// decides which processes may serve the data at all.
package node
