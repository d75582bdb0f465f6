package rest

import (
	"slices"

	"github.com/conclave-rooms/conclave/api"
)

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

// codes are the codes of the edge's own checks and those that the operation
// names.
func (o *operation) codes() []string {
	codes := append([]string{api.CodeRateLimited, api.CodeInternalError, api.CodeServiceUnavailable}, o.Errors...)
	if !o.Public {
		codes = append(codes, o.group.missing.Code)
		if !o.group.tickets {
			codes = append(codes, api.CodeAPIKeyInvalid, api.CodeAPIKeyExpired, api.CodeAPIKeyRevoked, api.CodeAPIKeyInactive)
		}
	}
	if o.needsScope() {
		codes = append(codes, api.CodeInsufficientScope)
	}
	if o.group.cookie != "" && o.writes() {
		codes = append(codes, api.CodeCrossOrigin)
	}
	if o.takesSessions() {
		codes = append(append(codes, o.group.sessions.Missing.Code, api.CodeCrossOrigin), o.group.sessions.Errors...)
	}
	if len(o.names) > 0 {
		codes = append(codes, api.CodeNotFound)
	}
	if o.group.edge.takesKeys(o) {
		codes = append(codes, api.CodeIdempotencyKeyInUse, api.CodeIdempotencyKeyReused)
	}
	if o.in == nil {
		return codes
	}
	codes = append(codes, api.CodeParameterUnknown)
	if o.file {
		codes = append(codes, api.CodeRangeNotSatisfiable)
	}
	if o.most > 0 {
		return append(codes, api.CodePayloadTooLarge, api.CodeUnsupportedMediaType, api.CodeParameterInvalid, api.CodeParameterMissing)
	}
	if o.writes() {
		codes = append(codes, api.CodeInvalidJSON, api.CodePayloadTooLarge, api.CodeUnsupportedMediaType, api.CodeParameterInvalid)
	}
	if o.in.TakesQuery() {
		codes = append(codes, api.CodeParameterInvalid)
	}
	if o.in.Requires() {
		codes = append(codes, api.CodeParameterMissing)
	}
	if o.object != nil {
		codes = append(codes, api.CodeParameterReadOnly)
	}
	return codes
}
