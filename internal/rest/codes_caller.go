package rest

import "github.com/conclave-rooms/conclave/api"

// callerCodes are about who the caller is, and what they may do.
func callerCodes() []CodeDoc {
	return []CodeDoc{
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
			"The key has expired.",
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
			"The media token is not from this service, or can no longer be used to come in.",
			"Get a new media token.",
		},
		{
			api.CodeTokenExpired, 401, api.TypeAuthentication,
			"The media token has expired after ten minutes, and its holder is not in the meeting.",
			"Get a new media token.",
		},
		{
			api.CodeUploadInvalid, 401, api.TypeAuthentication,
			"The upload secret belongs to another recording, or to none.",
			"Send what POST /meet/v1/recordings answered as upload_secret.",
		},
		{
			api.CodeSignInRequired, 401, api.TypeAuthentication,
			"Nobody is signed in, or the session is over.",
			"Sign in again.",
		},
		{
			api.CodeSignInFailed, 401, api.TypeAuthentication,
			"The e-mail address and the password do not belong together. An unknown address gets the same answer.",
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
			"Ask the person who scheduled it, an owner or admin of the workspace, or somebody whose role manages rooms.",
		},
		{
			api.CodeRecordingNotManaged, 403, api.TypePermission,
			"A signed-in member wants to change or delete a recording that somebody else made.",
			"Ask the person who made it, an owner or admin of the workspace, or somebody whose role manages rooms.",
		},
		{
			api.CodeNotAMember, 403, api.TypePermission,
			"Conclave-Workspace names no workspace of the member who is signed in: unknown, malformed, or somebody else's.",
			"Send the id of a workspace that `GET /account/v1/session` lists.",
		},
		{
			api.CodeLinkExpired, 403, api.TypePermission,
			"The join link has stopped working.",
			"Make a new one, with a longer expires_in if needed.",
		},
		{
			api.CodeNotLetIn, 403, api.TypePermission,
			"A host turned the person away, twice in this meeting.",
			"Ask a host in another way, or come with a join link.",
		},
		{
			api.CodeNotInGroup, 403, api.TypePermission,
			"A commit of a device that is not a member of the media room's group; or a device makes a group and may not.",
			"Send a new key package, and wait to be added; or try again later.",
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
			"Come in with a new token, or join again, unless the room is locked.",
		},
		{
			api.CodeMoved, 403, api.TypePermission,
			"The media token is for another media room of the meeting than the one where its holder belongs now.",
			"Get a new media token and connect again.",
		},
		{
			api.CodeNotInMeeting, 403, api.TypePermission,
			"Only people who are in the meeting can do this; the person was let in and has not connected yet, waits to be let in, or has been without a connection for a minute.",
			"Connect first.",
		},
		{
			api.CodeCannotRename, 403, api.TypePermission,
			"A person wants another name in the meeting, where the name comes from a media token, a join link or an account, or where the room is strict.",
			"The message says which.",
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
			"The breakout room is not the person's, and people may not choose their room.",
			"Go to the room you were placed in, or ask a host.",
		},
		{
			api.CodeReturnNotAllowed, 403, api.TypePermission,
			"The person may not return to the main room.",
			"Wait until the rooms close, or ask a host.",
		},
		{
			api.CodeInvitationInvalid, 403, api.TypePermission,
			"The invitation was used, has expired, or was replaced by a newer one.",
			"Ask the person who invited you for a new one.",
		},
		{
			api.CodeCrossOrigin, 403, api.TypePermission,
			"A page of another site caused this request.",
			"Send it from a page of this service. Programs leave out the header Origin.",
		},
		{
			api.CodeRecordingKeyMissing, 403, api.TypePermission,
			"A member wants to let devices open an end_to_end recording that no device of their own can open.",
			"Ask a member whose device can.",
		},
	}
}
