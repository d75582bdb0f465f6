// Package recording reads the recordings of a Conclave service. It fetches the encrypted
// parts, verifies and decrypts each, and combines them into the recorded file.
//
// It is for customers' servers and imports only the standard library and the packages api
// and client, which sends the requests. A complete download:
//
//	client := recording.Client{BaseURL: "https://meet.example.com", Key: os.Getenv("CONCLAVE_API_KEY")}
//	r, err := client.Open(ctx, id)
//	if err != nil {
//		return err
//	}
//	_, err = io.Copy(file, r)
//	return err
//
// The key needs the scope recordings:read. A recording can be fetched once it
// is ready; the webhook recording.ready says when.
//
// A program that stores the encrypted parts can decrypt them later with DecryptPart and
// the key of the recording.
//
// # What is verified
//
// Each part is encrypted with AES-256-GCM, and its additional data is
// "service-recording:<recording id>:<index>". So a part cannot be decrypted if it was
// changed or cut short, or if it comes from another recording or another place. Then Read
// returns a PartError with the index of the part, and no bytes of it. A file that was read
// without an error is complete.
//
// Recordings of rooms with recordings "end_to_end" cannot be opened through the
// API; members play them in the browser.
package recording
