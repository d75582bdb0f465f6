// Command generate writes ../src/wire.ts, the TypeScript types of the meeting
// protocol and its limits, from the OpenAPI document of /meet/v1. The document
// is made from the Go structs that the service sends and reads, so the two
// sides cannot differ. It also writes ../../meet/src/member/limits.ts, the limits
// of members' forms, from the documents of the other groups.
package main
