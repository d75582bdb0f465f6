package rest

import "slices"

// CodeDoc explains an error code on the page that doc_url names, and in the
// OpenAPI document.
type CodeDoc struct {
	Code   string
	Status int
	Type   string
	When   string // when it is the answer
	Fix    string // what the caller can do about it
}

// Codes is the table of every error code of the service, by status. An
// operation can only name codes from here.
func Codes() []CodeDoc {
	return slices.Concat(requestCodes(), callerCodes(), stateCodes(), limitCodes())
}

func codeDoc(code string) (CodeDoc, bool) {
	for _, c := range Codes() {
		if c.Code == code {
			return c, true
		}
	}
	return CodeDoc{}, false
}
