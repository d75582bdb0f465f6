// Package job does what was promised in a transaction: once it is committed,
// at least once, as soon as it is due, whatever crashes meanwhile.
//
// A job is a row. Whoever changes something adds it in the same transaction,
// so that the change and the promise are both there or neither is.
//
//	           due, and a slot of its lane is free
//	waiting ------------------------------------------> held ---> done: the row is gone
//	   ^                                                 |
//	   |  again later, or given back, or the lease ended |
//	   +-------------------------------------------------+
//
// A lane is what shares a limit: all deliveries to one webhook endpoint, say.
// Each lane has a few slots; a unique index keeps two jobs out of one, so the
// limit holds on all nodes together. Lanes do not wait for each other: a lane
// whose slots are taken costs nothing until one is free, however many of its
// jobs are due.
//
// Whoever holds a job has a lease, which is renewed while the work goes on.
// When a process is killed its leases end within six seconds (leaseFor), and
// another node (or the next start) does the job again. Each taking has a lease
// of its own, which is the fencing token: somebody who was away for too long and
// comes back with a result finds another one, and their result is dropped.
//
// One loop (run.go) takes jobs and writes results, many in one transaction, so
// that a burst costs the database a few commits rather than two for each job.
// What a handler wants to write goes into that transaction too.
//
// Nothing has to be told to another node: the one that commits takes the job at
// once, and every node looks for forgotten ones each second (sweepEvery), which
// also finds what the command line has added.
package job
