package rest

import "github.com/conclave-rooms/conclave/api"

// stateCodes are about things that do not exist, and about what their state does not
// allow.
func stateCodes() []CodeDoc {
	return []CodeDoc{
		{
			api.CodeNotFound, 404, api.TypeNotFound,
			"What the path or a parameter names is not there: unknown, malformed, deleted, or of another workspace. All of these get the same answer.",
			"Check the id, and that the key belongs to the workspace of the object.",
		},
		{
			api.CodeOIDCNotConfigured, 404, api.TypeNotFound,
			"This service has no identity provider to sign in through.",
			"Sign in with an e-mail address and a password.",
		},
		{
			api.CodeCalendarNotConfigured, 404, api.TypeNotFound,
			"This service is not registered with this calendar provider.",
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
			"The room's encryption is strict. A media token is asked for it, and the service has no passphrase to give; or a device joins that does not say that it can make the keys of the meeting.",
			"Use a join link instead of a media token. Update the page or app that joins.",
		},
		{
			api.CodeGroupExists, 409, api.TypeConflict,
			"A device makes the group of a media room that has one already.",
			"Wait to be added to the group that the part group of the event stream names.",
		},
		{
			api.CodeEpochTaken, 409, api.TypeConflict,
			"A commit was made in an epoch that the group is not in: another one was first.",
			"Read the group's messages, then work out again what has to change.",
		},
		{
			api.CodePlaceChanged, 409, api.TypeConflict,
			"The device is not in the media room that its request is about, or a commit removes a device that is there.",
			"Look at the part group of the event stream, and join again where the person is now.",
		},
		{
			api.CodeMeetingRunning, 409, api.TypeConflict,
			"The room's encryption cannot change while a meeting runs.",
			"End the meeting first, or wait until it is over.",
		},
		{
			api.CodeRoomLocked, 409, api.TypeConflict,
			"The room is locked, so nobody new can come in.",
			"Unlock the room first.",
		},
		{
			api.CodeLimitReached, 409, api.TypeConflict,
			"The limit of such objects is reached; the message names it.",
			"Delete one that is no longer needed.",
		},
		{
			api.CodeWebhookDisabled, 409, api.TypeConflict,
			"The webhook endpoint that should receive something is disabled.",
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
			"The request would remove the last breakout room of a session.",
			"End the session instead.",
		},
		{
			api.CodeCannotBeAsked, 409, api.TypeConflict,
			"A host asks a person to unmute who may not speak, or whose program does not show the question.",
			"The message says which.",
		},
		{
			api.CodeNotOnStage, 409, api.TypeConflict,
			"A host puts somebody in the spotlight who is in a webinar's audience.",
			"Invite the person to the stage first.",
		},
		{
			api.CodePollClosed, 409, api.TypeConflict,
			"The poll was closed before the vote arrived.",
			"Nothing has to be done; a host can open the poll again.",
		},
		{
			api.CodeVoteCounted, 409, api.TypeConflict,
			"The person voted before this anonymous poll was closed and opened again. Nobody knows which of the counted votes is theirs.",
			"Nothing has to be done: the vote counts.",
		},
		{
			api.CodeVotedElsewhere, 409, api.TypeConflict,
			"The person has voted in this anonymous poll with another receipt, on another device for instance. Only a device with that receipt can change the vote.",
			"Vote on the device on which the first vote was cast.",
		},
		{
			api.CodeRecordingEndToEnd, 409, api.TypeConflict,
			"The recording is end_to_end: only devices of members have its key, and the API cannot open it.",
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
			"Stop that recording first. When its device is not connected, or has sent nothing for 30 seconds, another one may take over.",
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
			"The part is not the next one of the recording, or comes after its last part.",
			"Ask for GET /meet/v1/recordings/{recording_id}/upload, which says how many parts are stored.",
		},
		{
			api.CodeNoRecordingDevice, 409, api.TypeConflict,
			"The room's recordings are end_to_end, and no member has a device that could open one.",
			"Let a member open the recordings page once, which makes their browser such a device.",
		},
		{
			api.CodeIdempotencyKeyInUse, 409, api.TypeIdempotency,
			"The first request with this Idempotency-Key is still running.",
			"Wait a moment and send the same request again.",
		},
	}
}
