// Package client calls the API of a Conclave service from a customer's server, which
// holds an API key. It imports only the standard library and package api.
//
// A room, and a way in for one person:
//
//	conclave := client.Client{BaseURL: "https://meet.example.com", Key: os.Getenv("CONCLAVE_API_KEY")}
//	room, err := conclave.CreateRoom(ctx, api.RoomCreate{Name: "Weekly review"})
//	if err != nil {
//		return err
//	}
//	link, err := conclave.CreateJoinLink(ctx, room.ID, api.JoinLinkCreate{Name: "Ada", Role: api.Set("host")})
//
// There is a method for every operation, with the name that it has in the API reference:
// createJoinLink is CreateJoinLink. Objects and bodies are the structs of package api. A
// field of type api.Opt is sent only when it is set: api.Set("host") is a value,
// api.Clear[string]() is null.
//
// # Lists
//
// Lists that have pages are sequences, which fetch page after page as they are read:
//
//	for room, err := range conclave.ListRooms(ctx, client.RoomQuery{}) {
//		if err != nil {
//			return err
//		}
//		fmt.Println(room.Name)
//	}
//
// The first error ends the sequence. Lists without pages are slices.
//
// # Errors
//
// What the service refuses is an *Error, which has the status, the code, a sentence for
// people and the id of the request:
//
//	if refusal, refused := errors.AsType[*client.Error](err); refused && refusal.Code == api.CodeNotFound {
//		...
//	}
//
// Any other error means that no answer arrived, or none that can be read.
//
// # Retries
//
// A request is sent up to five times. The pauses are 1, 2, 4 and 8 seconds, or as long as
// the service asks for, but never more than a minute. The context ends them.
//
//	what happened           requests that only read   requests that change something
//	429                     sent again                sent again
//	502, 503, 504           sent again                sent again
//	500, any other 5xx      sent again                not sent again
//	no answer               sent again                sent again
//	an earlier try runs     -                         sent again
//
// Every request that changes something carries an Idempotency-Key, the same on each try. So
// the work is not done twice when an answer was lost. It is not sent again after a 500,
// because then the service itself may not know whether the change was made.
//
// After all tries the last error is returned. If that is an *Error with the code
// idempotency_key_in_use, it is not known whether the request was carried out. To be able
// to repeat a request even after your own program was killed, choose the key yourself, see
// WithIdempotencyKey.
//
// # The key
//
// The API key is sent only to BaseURL. Redirects are not followed.
//
// Package client/webhook receives events, package client/recording reads recordings.
package client
