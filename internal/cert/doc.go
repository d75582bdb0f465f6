// Package cert gets certificates from a certificate authority, by ACME
// (RFC 8555), and keeps them in the database.
//
// The orders are those of autocert. It orders certificates when somebody
// connects; this package calls it ahead of that, so that a stranger's connection
// never makes an order:
//
//	            the database has it, or an order succeeds
//	missing ────────────────────────────────────────────────► ready
//	   ▲ │                                                      │ ▲
//	   └─┘ an order fails; the next one waits                   └─┘ autocert renews it
//
// The nodes of a database share everything: the key of the account, the
// certificates, and the answers to challenges. The certificate authority may ask
// any of them. One node orders at a time, the one that holds the lease. Each
// request to the certificate authority extends the lease, and it ends by itself
// two minutes after the last one.
package cert
