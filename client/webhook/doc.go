// Package webhook receives the webhooks of a Conclave service: it verifies that
// a request comes from the service, reads the event in it, and answers.
//
// It is for the servers of customers and imports nothing but the standard
// library and package api. A whole receiver:
//
//	http.Handle("POST /webhooks", &webhook.Handler{
//		Verifier: webhook.Verifier{Secrets: []string{os.Getenv("CONCLAVE_WEBHOOK_SECRET")}},
//		Receive: func(ctx context.Context, e webhook.Event) error {
//			switch data := e.Data.(type) {
//			case *api.ParticipantEvent:
//				return seen(ctx, e.ID, data.Participant.Name, e.Type == api.EventParticipantJoined)
//			}
//			return nil
//		},
//	})
//
// A framework with handlers of its own calls Verifier.Event with the header
// Service-Signature and the bytes of the body as they came. The signature is
// over these bytes: a body that was parsed and written anew does not verify.
//
// # The signature
//
// Service-Signature: t=<unix seconds>,v1=<hex>, where v1 is the HMAC-SHA256 of
// "<t>.<body>" keyed with the endpoint's whole secret, whsec_ included. While a
// secret is being rotated the header carries one v1 for each, and one that
// matches is enough. A request whose t is older than five minutes is refused,
// so that somebody who recorded one cannot send it again tomorrow.
//
// # What a receiver owes
//
// An event may come twice and out of order: Event.ID tells duplicates,
// occurred_at in the data orders. Answer within ten seconds; what takes longer
// belongs in a queue. docs/how-to/receive-webhooks.md tells more.
package webhook
