// Package job does work that was promised in a transaction: after the commit,
// at least once, as soon as it is due, even after crashes.
//
// A job is a row. The code that makes a change adds the job in the same
// transaction, so that the change and the promise are both there, or neither
// is.
//
//	           due, and a slot of its lane is free
//	waiting ------------------------------------------> held ---> done: the row is gone
//	   ^                                                 |
//	   |  again later, or given back, or the lease ended |
//	   +-------------------------------------------------+
//
// Jobs in a lane share a limit: a lane is, for example, all deliveries to one
// webhook endpoint. Each lane has a few slots, and a unique index allows one
// job in each, so the limit applies to all nodes together. Lanes do not wait
// for each other: a lane whose slots are taken costs nothing until one becomes
// free, however many of its jobs are due.
//
// A process that holds a job has a lease, which it renews while it works. When
// the process is killed, its leases end within six seconds (leaseFor), and
// another node (or the next start) does the job again. A lease is also a
// fencing token: every time a job is taken it gets a new one, and a process
// that was stopped for too long and returns with a result finds another lease,
// so its result is dropped.
//
// One loop (run.go) takes jobs and writes results, many in one transaction, so
// that a burst costs the database a few commits rather than two for each job. On
// PostgreSQL, a result waits up to two milliseconds for others, unless a job can
// be taken meanwhile (gather.go). What a handler wants to write goes into that
// transaction too. A queue with many short jobs reads what they need (Fetch) and
// writes the notes they leave (Noted) with a few statements for all of them.
//
// Nodes need not notify each other: the node that commits takes the job at
// once, and every node looks for forgotten jobs each second (sweepEvery). This
// also finds jobs that the command line has added.
package job
