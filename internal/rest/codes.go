package rest

import "github.com/conclave-rooms/conclave/api"

// CodeDoc explains a code of the contract: on the page behind doc_url and in
// the OpenAPI document.
type CodeDoc struct {
	Code   string
	Status int
	Type   string
	When   string // when it is answered
	Fix    string // what the caller does about it
}

// Codes is the table of every code the service answers, by status. A code
// that is not here cannot be named by an operation.
func Codes() []CodeDoc {
	return []CodeDoc{
		{
			api.CodeInvalidJSON, 400, api.TypeInvalidRequest,
			"The body is not one JSON object: a syntax error, something after the object, a key that is there twice, text that is not UTF-8, or nesting deeper than 16 levels.",
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
			"A host is invited to the stage; hosts may speak anyway.",
			"Nothing has to be done.",
		},
		{
			api.CodeNotAWebinar, 400, api.TypeInvalidRequest,
			"A stage operation on a room that is a meeting: it has no audience.",
			"Stage operations need a room of type webinar.",
		},
		{
			api.CodeAPIKeyMissing, 401, api.TypeAuthentication,
			"The request carries no API key.",
			"Send the header Authorization: Bearer followed by the key.",
		},
		{
			api.CodeAPIKeyInvalid, 401, api.TypeAuthentication,
			"The API key is malformed or unknown.",
			"Check that the whole key was copied, and that it belongs to this server.",
		},
		{
			api.CodeAPIKeyExpired, 401, api.TypeAuthentication,
			"The key's time is over.",
			"Create a new key with the same scopes.",
		},
		{
			api.CodeAPIKeyRevoked, 401, api.TypeAuthentication,
			"Somebody revoked the key.",
			"Use another key.",
		},
		{
			api.CodeAPIKeyInactive, 401, api.TypeAuthentication,
			"The account that made the key lost the right to hold keys of this workspace.",
			"Give the account its right back, or use a key of another account.",
		},
		{
			api.CodeTicketInvalid, 401, api.TypeAuthentication,
			"The ticket is unknown, or its seat in the meeting is over.",
			"Join again to get a new one.",
		},
		{
			api.CodeTokenInvalid, 401, api.TypeAuthentication,
			"The media token is not one of this service, or lets nobody new in.",
			"Get a new media token.",
		},
		{
			api.CodeTokenExpired, 401, api.TypeAuthentication,
			"The media token's ten minutes are over, and its holder is not in the meeting.",
			"Get a new media token.",
		},
		{
			api.CodeUploadInvalid, 401, api.TypeAuthentication,
			"The upload secret is not the one of this recording.",
			"Send what POST /meet/v1/recordings answered as upload_secret.",
		},
		{
			api.CodeSignInRequired, 401, api.TypeAuthentication,
			"Nobody is signed in, or the session is over.",
			"Sign in again.",
		},
		{
			api.CodeSignInFailed, 401, api.TypeAuthentication,
			"The e-mail address and the password do not belong together. An address nobody has gets the same answer.",
			"Correct one or the other, or ask an owner or admin of your workspace for a new invitation.",
		},
		{
			api.CodeInsufficientScope, 403, api.TypePermission,
			"The key, or the role of the member who is signed in, lacks a scope; required_scope names it.",
			"Use a key that has the scope.",
		},
		{
			api.CodeRoomNotManaged, 403, api.TypePermission,
			"The account that made the key, or is signed in, does not manage this room.",
			"Use a key of somebody who does: the room's maker, an owner or admin of the workspace, or a role that manages rooms.",
		},
		{
			api.CodeMeetingNotManaged, 403, api.TypePermission,
			"A signed-in member wants to change or cancel a meeting that somebody else scheduled.",
			"Ask who scheduled it, an owner or admin of the workspace, or somebody whose role manages rooms.",
		},
		{
			api.CodeRecordingNotManaged, 403, api.TypePermission,
			"A signed-in member wants to change or delete a recording that somebody else made.",
			"Ask who made it, an owner or admin of the workspace, or somebody whose role manages rooms.",
		},
		{
			api.CodeNotAMember, 403, api.TypePermission,
			"Conclave-Workspace names no workspace of the member who is signed in: unknown, malformed, or somebody else's.",
			"Send the id of a workspace that `GET /account/v1/session` lists.",
		},
		{
			api.CodeLinkExpired, 403, api.TypePermission,
			"The join link has stopped working.",
			"Make a new one, with a longer expires_in if need be.",
		},
		{
			api.CodeNotLetIn, 403, api.TypePermission,
			"A host turned the person away, twice.",
			"Ask a host in another way, or come with a join link.",
		},
		{
			api.CodeHostOnly, 403, api.TypePermission,
			"Only a host of the room can do this in the meeting; some things only the room's own hosts, not co-hosts.",
			"Ask a host.",
		},
		{
			api.CodeOwnHost, 403, api.TypePermission,
			"A co-host wants to remove one of the room's own hosts, or to send them to a breakout room or back.",
			"Ask another of the room's own hosts.",
		},
		{
			api.CodeRemoved, 403, api.TypePermission,
			"The person was removed from the meeting.",
			"A new token, or joining anew, enters again unless the room is locked.",
		},
		{
			api.CodeMoved, 403, api.TypePermission,
			"The media token is for another media room of the meeting than the one where its holder belongs now.",
			"Get a new media token and connect again.",
		},
		{
			api.CodeNotInMeeting, 403, api.TypePermission,
			"Only people who are in the meeting can do this; the person was let through and is not in yet, waits before the door, or has been without a connection for a minute.",
			"Connect first.",
		},
		{
			api.CodeAccessMembers, 403, api.TypePermission,
			"The room is for members only.",
			"Use a join link or a media token, or set the room's access to link.",
		},
		{
			api.CodeAdmissionKnock, 403, api.TypePermission,
			"A host has to admit people to this room.",
			"Use a join link or a media token, or set the room's admission to direct.",
		},
		{
			api.CodeBeforeHost, 403, api.TypePermission,
			"People wait for a host in this room.",
			"Use a join link or a media token, or set the room's before_host to join.",
		},
		{
			api.CodeBreakoutNotYours, 403, api.TypePermission,
			"Somebody wants to go to a breakout room that is not theirs, and people do not choose their room.",
			"Go to the room you were placed in, or ask a host.",
		},
		{
			api.CodeReturnNotAllowed, 403, api.TypePermission,
			"Somebody wants to return to the main room and may not.",
			"Wait until the rooms close, or ask a host.",
		},
		{
			api.CodeInvitationInvalid, 403, api.TypePermission,
			"The invitation was used, has expired, or was replaced by a newer one.",
			"Ask whoever invited you for a new one.",
		},
		{
			api.CodeCrossOrigin, 403, api.TypePermission,
			"A page of another site made the browser ask this.",
			"Ask from a page of this service. Programs leave out the header Origin.",
		},
		{
			api.CodeNotFound, 404, api.TypeNotFound,
			"What the path or a parameter names is not there: unknown, malformed, deleted, or of another workspace. All of these get the same answer.",
			"Check the id, and that the key belongs to the workspace of the object.",
		},
		{
			api.CodeOIDCNotConfigured, 404, api.TypeNotFound,
			"This service has no provider of identities that people could sign in through.",
			"Sign in with an e-mail address and a password.",
		},
		{
			api.CodeCalendarNotConfigured, 404, api.TypeNotFound,
			"This service is not registered with this provider of calendars.",
			"Connect a CalDAV calendar, or ask the operator to register the service with the provider.",
		},
		{
			api.CodeRouteNotFound, 404, api.TypeNotFound,
			"No operation has this path.",
			"Compare the path with the API reference. A doubled or a trailing slash makes another path.",
		},
		{
			api.CodeMethodNotAllowed, 405, api.TypeInvalidRequest,
			"The path exists, but not with this method.",
			"The header Allow lists the methods.",
		},
		{
			api.CodeEncryptionStrict, 409, api.TypeConflict,
			"A media token is asked for a room whose encryption is strict: the service has no passphrase to give.",
			"Use a join link.",
		},
		{
			api.CodeMeetingRunning, 409, api.TypeConflict,
			"The room's encryption cannot change while a meeting runs.",
			"End the meeting first, or wait until it is over.",
		},
		{
			api.CodeRoomLocked, 409, api.TypeConflict,
			"The room is locked and admits nobody new.",
			"Unlock the room first.",
		},
		{
			api.CodeLimitReached, 409, api.TypeConflict,
			"There are as many of these as there may be; the message says how many.",
			"Delete one that is not needed any more.",
		},
		{
			api.CodeWebhookDisabled, 409, api.TypeConflict,
			"Something is to be sent to a webhook endpoint that is disabled.",
			"Enable the endpoint first.",
		},
		{
			api.CodeBreakoutAlreadyOpen, 409, api.TypeConflict,
			"Breakout rooms are opened while a session is open, or closing.",
			"End the session first, or wait until it is over.",
		},
		{
			api.CodeBreakoutNotOpen, 409, api.TypeConflict,
			"An operation on breakout rooms while none are open.",
			"Open them first.",
		},
		{
			api.CodeLastBreakoutRoom, 409, api.TypeConflict,
			"The last breakout room of a session is removed.",
			"End the session instead.",
		},
		{
			api.CodePollClosed, 409, api.TypeConflict,
			"A vote came when the poll was closed.",
			"Nothing has to be done; a host can open the poll again.",
		},
		{
			api.CodeVoteCounted, 409, api.TypeConflict,
			"The person voted before this anonymous poll was closed and opened again. Nobody knows which of the counted votes is theirs.",
			"Nothing has to be done: the vote counts.",
		},
		{
			api.CodeVotedElsewhere, 409, api.TypeConflict,
			"The person has voted in this anonymous poll with another receipt, on another device for instance. Only whoever holds that receipt can change the vote.",
			"Vote on the device on which the first vote was cast.",
		},
		{
			api.CodeRecordingKeyMissing, 403, api.TypePermission,
			"A member wants to let devices open an end_to_end recording that no device of their own can open.",
			"Ask a member whose device can.",
		},
		{
			api.CodeRecordingEndToEnd, 409, api.TypeConflict,
			"The recording is end_to_end: only devices of members have its key, and the API opens nothing of it.",
			"Open it on the recordings page, signed in on a device that was given the key.",
		},
		{
			api.CodeRecordingNotReady, 409, api.TypeConflict,
			"The recording goes on, parts of it still arrive, or none ever did.",
			"Wait for recording.ready. A recording that failed never becomes ready.",
		},
		{
			api.CodeRecordingRunning, 409, api.TypeConflict,
			"Another device records this meeting.",
			"Stop that recording first. When its device is away for 30 seconds, another one may take over.",
		},
		{
			api.CodeRecordingOver, 409, api.TypeConflict,
			"The recording is complete, failed or deleted: nothing more of it is taken.",
			"Nothing has to be done; what was stored is kept.",
		},
		{
			api.CodePartConflict, 409, api.TypeConflict,
			"The part is stored already, with other content.",
			"Go on with the next part.",
		},
		{
			api.CodePartOutOfOrder, 409, api.TypeConflict,
			"The part is not the next one of the recording, or lies behind its last.",
			"Ask for GET /meet/v1/recordings/{recording_id}/upload, which says how many parts are stored.",
		},
		{
			api.CodeNoRecordingDevice, 409, api.TypeConflict,
			"The room's recordings are end_to_end, and no member has a device that could open one.",
			"Let a member open the recordings page once, which makes their browser such a device.",
		},
		{
			api.CodeIdempotencyKeyInUse, 409, api.TypeIdempotency,
			"The first request with this Idempotency-Key is still being worked on.",
			"Wait a moment and send the same request again.",
		},
		{
			api.CodePayloadTooLarge, 413, api.TypeInvalidRequest,
			"The body is larger than 64 KiB; a part of a recording than 16 MiB, and its index than 1 MiB.",
			"Send less.",
		},
		{
			api.CodeUnsupportedMediaType, 415, api.TypeInvalidRequest,
			"The body is not declared as application/json (where bytes are sent, as application/octet-stream), or is compressed.",
			"Send the header Content-Type: application/json and a plain body.",
		},
		{
			api.CodeRangeNotSatisfiable, 416, api.TypeInvalidRequest,
			"The range that was asked for begins behind the last byte.",
			"Ask for a range within the content, or for all of it.",
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
			"As many people wait before the room as may, or as may from one network, or were let through and have not connected.",
			"Ask to join again in a minute. A host can let people in, or open the room.",
		},
		{
			api.CodeInternalError, 500, api.TypeAPI,
			"Something went wrong inside the service.",
			"Send the request again, with an Idempotency-Key if it changes something. If it stays, tell the operator the request_id.",
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
			"The calendar server that somebody wants to connect does not answer, or not as a calendar server does.",
			"Check the address, and try again.",
		},
		{
			api.CodeStorageFull, 507, api.TypeAPI,
			"The service has no room for more parts of recordings.",
			"Tell the operator. What was stored of the recording becomes ready.",
		},
	}
}

func codeDoc(code string) (CodeDoc, bool) {
	for _, c := range Codes() {
		if c.Code == code {
			return c, true
		}
	}
	return CodeDoc{}, false
}
