// Package webhook receives the webhooks of a Conclave service. It verifies that a request
// comes from the service, reads its event, and answers.
//
// It is for customers' servers and imports only the standard library and package api. A
// complete receiver:
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
// With another framework, call Verifier.Event with the header Service-Signature and the
// unchanged bytes of the body. The signature covers these bytes, so a body that was parsed
// and written again does not verify.
//
// # The signature
//
// Service-Signature: t=<unix seconds>,v1=<hex>, where v1 is the HMAC-SHA256 of
// "<t>.<body>" keyed with the endpoint's whole secret, including whsec_. During a
// rotation the header contains one v1 for each secret, and one match is enough. A request
// whose t is more than five minutes ago is refused, so that an old request cannot be sent
// again by somebody who recorded it.
//
// # Rules for receivers
//
// An event may come twice or out of order. Recognise duplicates by Event.ID, and order
// events by occurred_at in the data. Answer within ten seconds, and put longer work into
// a queue. See docs/how-to/receive-webhooks.md.
package webhook
