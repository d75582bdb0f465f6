// Package blob stores large pieces of data beside the database: as files in a
// directory, or as objects in an S3 bucket.
//
// Put returns once the piece is stored completely. A piece is never stored in
// part: when Put fails, is cancelled, or its process is killed, the key still
// holds what it held before. Reading and writing are streams, so that memory
// does not grow with the size of a piece.
//
// Files, also those that wait to be sent to a bucket, leave a reserve of their file
// system free, because the database is on it by default (space.go).
//
// A key is one to four names between slashes, like the path of a file. No key
// may extend another one by a slash, because a file cannot be a directory too.
//
// Files are written under a temporary name, synced to disk and renamed, and then their
// directory is synced. So what Put acknowledged survives kill -9 and, as far as the disk
// keeps its own promises, a power cut. A process that is killed can leave a temporary
// file; List shows it and DeleteAll deletes it. With S3, the server makes this promise
// when it answers. A piece waits in a file without a name and is then sent completely, in
// one request. A request to a server ends when the server does not answer, and reading
// ends when the server stops in the middle. Ready ends with its caller's context.
package blob
