package rest

import "github.com/conclave-rooms/conclave/api"

// limitCodes are about limits of requests, and about failures of the service.
func limitCodes() []CodeDoc {
	return []CodeDoc{
		{
			api.CodePayloadTooLarge, 413, api.TypeInvalidRequest,
			"The body is larger than 64 KiB (for a part of a recording 16 MiB, for its index 1 MiB, for a commit of a strict meeting 2 MiB).",
			"Send less.",
		},
		{
			api.CodeUnsupportedMediaType, 415, api.TypeInvalidRequest,
			"The body is not declared as application/json (where bytes are sent, as application/octet-stream), or is compressed.",
			"Send the header Content-Type: application/json and a plain body.",
		},
		{
			api.CodeRangeNotSatisfiable, 416, api.TypeInvalidRequest,
			"The requested range begins after the last byte.",
			"Request a range within the content, or all of it.",
		},
		{
			api.CodeIdempotencyKeyReused, 422, api.TypeIdempotency,
			"The Idempotency-Key was used before, with another request.",
			"Use a new key for every new request, and the same key only to repeat one.",
		},
		{
			api.CodeRateLimited, 429, api.TypeRateLimit,
			"Too many requests in too short a time; the message names the limit.",
			"Wait as many seconds as Retry-After says. The RateLimit header tells beforehand how much is left.",
		},
		{
			api.CodeWaitingFull, 429, api.TypeRateLimit,
			"Too many people wait for the room, altogether or from one network, or too many were let in and have not connected yet.",
			"Ask to join again in a minute. A host can let people in, or open the room.",
		},
		{
			api.CodeInternalError, 500, api.TypeAPI,
			"Something went wrong inside the service; or the connection to the database broke while a change was stored, and the change may have been made.",
			"Look whether the change was made before you send the request again; with an Idempotency-Key it is held back for a minute. If it fails again, tell the operator the request_id.",
		},
		{
			api.CodeServiceUnavailable, 503, api.TypeAPI,
			"The service cannot answer now.",
			"Send the request again after Retry-After seconds.",
		},
		{
			api.CodeMediaUnavailable, 503, api.TypeAPI,
			"The media server does not answer.",
			"Send the request again after Retry-After seconds.",
		},
		{
			api.CodeCalendarUnreachable, 503, api.TypeAPI,
			"The calendar server that somebody wants to connect does not answer, or does not answer like a calendar server.",
			"Check the address, and try again.",
		},
		{
			api.CodeStorageFull, 507, api.TypeAPI,
			"The service has no room for more parts of recordings.",
			"Tell the operator. What was stored of the recording becomes ready.",
		},
	}
}
