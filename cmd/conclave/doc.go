// Command conclave is the whole service in one binary: it serves the API, the
// meeting interface and the media, and it administers the data on disk, even
// while it serves.
package main
