// Package outbound sends requests to addresses that strangers chose: those of
// webhook endpoints, and whatever else customers may name.
//
// Such an address must not become a way into the network the service runs in.
// So an address has to be https and public; that is looked at when somebody
// names it (Check), and again at every connection, after the name has been
// resolved (client.go): a name that turns to a private address later leads
// nowhere. Redirects are not followed and no proxy of the environment is used.
//
// What a request may cost is bounded as well: ten seconds for everything
// together, 64 KiB of the answer, and one connection for one request at a time,
// so that requests do not wait for each other.
//
// Post sends a webhook and looks at nothing but the status. Do sends a request
// of any method and reads the answer, up to a bound that the caller sets. A
// Client is also the transport of an http.Client, for libraries that need one.
//
// A failed request has a Reason, one word that people find in a delivery log.
package outbound
