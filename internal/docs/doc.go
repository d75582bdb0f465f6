// Package docs serves the service's own documentation pages:
//
//	/docs           the API reference, drawn in the browser from the OpenAPI documents
//	/docs/errors    every error code; the doc_url of each refusal leads to its place here
//	/docs/static/   what these pages load
//
// The pages load nothing from other servers, so they work without the internet
// and nobody learns who reads them. The script that draws the reference, and the
// colours and the font of the interface, are added when the program is built
// (web/docs). A program without them says so.
package docs
