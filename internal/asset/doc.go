// Package asset serves files that do not change while the service runs: the
// interface, the API reference and the OpenAPI documents.
//
// A file is sent compressed to clients that accept that: with Brotli where the build
// has made such a variant, otherwise with gzip. Every answer has an ETag, so a
// repeated visit costs a few bytes.
//
// What is compressed here is the same for everybody and holds no secret. So its
// length reveals nothing (package rest explains why answers of the API need
// care).
package asset
