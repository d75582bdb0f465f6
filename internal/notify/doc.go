// Package notify wakes the parts of the service that wait for a change.
//
// A topic is a word such as "room/0192...". The code that makes a change calls
// Hub.Notify in the transaction. Once that is committed, all subscribers of the
// topic are woken, on every node. A wake-up carries no data: its receiver reads
// the database. So a lost or repeated wake-up only makes work late or useless,
// never wrong. A node that is killed right after a commit may not have woken the
// others, so every subscriber also looks by itself now and then.
//
// On SQLite there is one node, and the hub works within the process. On
// PostgreSQL it uses LISTEN and NOTIFY. Whenever it has to reconnect, it wakes
// all subscribers, because it may have missed something. Before that it calls
// Hub.OnReconnect, because the database may be another one that has missed something.
package notify
