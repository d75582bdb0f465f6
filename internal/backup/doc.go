// Package backup copies the data of a service into a directory while the
// service runs, and restores a data directory from such a copy.
//
// A backup is a directory with four things:
//
//	backup.json     every other file with its size and SHA-256 digest
//	conclave.db     the SQLite database, or conclave.dump of PostgreSQL
//	master.key      the key that seals secrets, unless it comes from the settings
//	recordings/     the parts of recordings, unless they are in an S3 bucket
//
// The database is copied first, as it was at one moment. A recording that is
// made later is missing in it, and the parts that belong to it do no harm; a
// recording that is deleted later is listed but has no parts. backup.json is
// written last: a directory without it is a backup that was interrupted, and is
// refused.
//
// A backup shows its reader everything that the service can read, so its
// directory and files are readable for one user only.
package backup
