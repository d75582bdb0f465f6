package rest

import "github.com/conclave-rooms/conclave/api"

// requestCodes are for requests that are wrong in themselves.
func requestCodes() []CodeDoc {
	return []CodeDoc{
		{
			api.CodeInvalidJSON, 400, api.TypeInvalidRequest,
			"The body is not one JSON object: a syntax error, something after the object, a duplicate key, text that is not UTF-8, nesting deeper than 16 levels, or more than 10,000 values.",
			"The message says what was found and at which byte. Send the body with a JSON library.",
		},
		{
			api.CodeParameterMissing, 400, api.TypeInvalidRequest,
			"A required field or query parameter is absent.",
			"Send the field that param names.",
		},
		{
			api.CodeParameterInvalid, 400, api.TypeInvalidRequest,
			"A field or query parameter has a wrong type, length, range or format, is not one of the allowed values, or is null where null means nothing.",
			"The message says what is allowed. errors lists every failed field of the request at once.",
		},
		{
			api.CodeParameterUnknown, 400, api.TypeInvalidRequest,
			"A field or query parameter does not exist. Names are case-sensitive.",
			"Remove it, or correct its spelling.",
		},
		{
			api.CodeParameterReadOnly, 400, api.TypeInvalidRequest,
			"A field of the object that this operation cannot change was sent with another value than it has.",
			"Leave the field out. Sending the value it has is accepted, so an object can be fetched, edited and sent back.",
		},
		{
			api.CodeURLNotAllowed, 400, api.TypeInvalidRequest,
			"A webhook's address is not public https: another scheme, a user name in it, or a private, local or cloud-metadata address behind it.",
			"Use an https address that anybody on the internet could reach.",
		},
		{
			api.CodeNotACohost, 400, api.TypeInvalidRequest,
			"Co-host powers are taken from one of the room's own hosts.",
			"Only powers that were given in the meeting can be taken back.",
		},
		{
			api.CodeAlreadyHost, 400, api.TypeInvalidRequest,
			"A host or co-host is invited to the stage, and may speak anyway.",
			"Nothing has to be done.",
		},
		{
			api.CodeNotAWebinar, 400, api.TypeInvalidRequest,
			"A stage operation on a room that is a meeting: it has no audience.",
			"Stage operations need a room of type webinar.",
		},
	}
}
