// Package recording reads the recordings of a Conclave service: it fetches the
// encrypted parts, verifies and decrypts each, and puts them together to the
// file that was recorded.
//
// It is for the servers of customers and imports nothing but the standard
// library and package api. A whole download:
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
// A program that stores parts as they come decrypts them later with
// DecryptPart, given the key of the recording.
//
// # What is verified
//
// Each part is encrypted with AES-256-GCM, and its additional data is
// "service-recording:<recording id>:<index>". So a part that was changed or cut
// short, that is another recording's, or that stands in another's place, does
// not open: Read returns a PartError that says which part it is, and nothing of
// that part. A file that ended without an error is whole.
//
// Recordings of rooms with recordings "end_to_end" cannot be opened through the
// API; members play them in the browser.
package recording
