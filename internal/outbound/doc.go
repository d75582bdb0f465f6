// Package outbound sends requests to addresses that strangers chose, such as
// those of webhook endpoints.
//
// Such an address must not lead into the network that the service runs in. So
// an address has to be https and public. That is checked when somebody enters
// it (Check), and again at every connection, after the name was resolved
// (client.go): a name cannot turn to a private address later. The client
// follows no redirects and uses no proxy of the environment.
//
// The cost of a request is limited too: ten seconds in total, 64 KiB of the
// answer, and one request at a time on a connection, so that requests do not
// wait for each other.
//
// Post sends a webhook and only returns the status. Do sends a request of any
// method and reads the answer, up to a limit set by the caller. A Client is
// also the transport of an http.Client, for libraries that need one.
//
// A failed request has a Reason, one word that people see in a delivery log.
package outbound
