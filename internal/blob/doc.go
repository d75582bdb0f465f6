// Package blob stores large pieces of data beside the database: as files in a
// directory, or as objects of an S3 bucket.
//
// Put answers once the piece is stored whole, and a piece is there whole or not
// at all: when Put fails, is cancelled, or its process is killed, the key still
// holds what it held before. Both ways in and out are streams, so that memory
// does not grow with the size of a piece.
//
// A key is one to four names between slashes, as that of a file is. No key goes
// on from another one behind a slash: a file cannot be a directory too.
//
// Files are written under a temporary name, synced to disk, given their name,
// and then their directory is synced. So what Put acknowledged survives kill -9
// and, as far as the disk keeps its own promises, a power cut. A process that is
// killed can leave a temporary file; List shows it and DeleteAll deletes it.
// With S3 the promise is that of the server that answered. A piece waits in a
// file without a name until it is sent whole, in one request.
package blob
