package api

// Codes of errors. They are stable, so that programs can switch on them.
// docs/reference/errors.md says when each is used.
const (
	CodeInvalidJSON       = "invalid_json"
	CodeParameterMissing  = "parameter_missing"
	CodeParameterInvalid  = "parameter_invalid"
	CodeParameterUnknown  = "parameter_unknown"
	CodeParameterReadOnly = "parameter_read_only"
	CodeURLNotAllowed     = "url_not_allowed"
	CodeNotACohost        = "not_a_cohost"
	CodeAlreadyHost       = "already_host"
	CodeNotAWebinar       = "not_a_webinar"

	CodeAPIKeyMissing  = "api_key_missing"
	CodeAPIKeyInvalid  = "api_key_invalid"
	CodeAPIKeyExpired  = "api_key_expired"
	CodeAPIKeyRevoked  = "api_key_revoked"
	CodeAPIKeyInactive = "api_key_inactive"

	CodeInsufficientScope = "insufficient_scope"
	CodeRoomNotManaged    = "room_not_managed"
	CodeMeetingNotManaged = "meeting_not_managed"
	CodeNotAMember        = "not_a_member"

	CodeNotFound         = "not_found"
	CodeRouteNotFound    = "route_not_found"
	CodeMethodNotAllowed = "method_not_allowed"

	CodePayloadTooLarge      = "payload_too_large"
	CodeUnsupportedMediaType = "unsupported_media_type"
	CodeRangeNotSatisfiable  = "range_not_satisfiable"

	CodeEncryptionStrict = "encryption_strict"
	CodeMeetingRunning   = "meeting_running"
	CodeRoomLocked       = "room_locked"
	CodeLimitReached     = "limit_reached"
	CodeWebhookDisabled  = "webhook_disabled"

	CodeBreakoutAlreadyOpen = "breakout_already_open"
	CodeBreakoutNotOpen     = "breakout_not_open"
	CodeLastBreakoutRoom    = "last_breakout_room"

	CodeIdempotencyKeyInUse  = "idempotency_key_in_use"
	CodeIdempotencyKeyReused = "idempotency_key_reused"

	CodeRateLimited        = "rate_limited"
	CodeInternalError      = "internal_error"
	CodeServiceUnavailable = "service_unavailable"
	CodeMediaUnavailable   = "media_unavailable"
)

// Codes of the meeting protocol (docs/reference/meeting-protocol.md), which
// people's devices speak.
const (
	CodeTicketInvalid  = "ticket_invalid"
	CodeTokenInvalid   = "token_invalid"
	CodeTokenExpired   = "token_expired"
	CodeLinkExpired    = "link_expired"
	CodeRemoved        = "removed"
	CodeMoved          = "moved"
	CodeHostOnly       = "host_only"
	CodeOwnHost        = "own_host"
	CodeWaitingFull    = "waiting_full"
	CodeNotLetIn       = "not_let_in"
	CodeAccessMembers  = "access_members"
	CodeAdmissionKnock = "admission_knock"
	CodeBeforeHost     = "before_host"
	CodeNotInMeeting   = "not_in_meeting"
	CodeCannotBeAsked  = "cannot_be_asked"
	CodeCannotRename   = "cannot_rename"
	CodeNotOnStage     = "not_on_stage"
	CodePollClosed     = "poll_closed"
	CodeVoteCounted    = "vote_counted"
	CodeVotedElsewhere = "voted_elsewhere"

	CodeGroupExists  = "group_exists"
	CodeEpochTaken   = "epoch_taken"
	CodePlaceChanged = "place_changed"
	CodeNotInGroup   = "not_in_group"

	CodeBreakoutNotYours = "breakout_not_yours"
	CodeReturnNotAllowed = "return_not_allowed"
)

// Codes of recordings (docs/reference/recordings.md).
const (
	CodeRecordingEndToEnd   = "recording_end_to_end"
	CodeRecordingNotReady   = "recording_not_ready"
	CodeRecordingRunning    = "recording_running"
	CodeRecordingOver       = "recording_over"
	CodePartConflict        = "part_conflict"
	CodePartOutOfOrder      = "part_out_of_order"
	CodeNoRecordingDevice   = "no_recording_device"
	CodeUploadInvalid       = "upload_invalid"
	CodeStorageFull         = "storage_full"
	CodeRecordingNotManaged = "recording_not_managed"
	CodeRecordingKeyMissing = "recording_key_missing"
)

// Codes of signing in (docs/reference/sign-in.md).
const (
	CodeSignInRequired    = "sign_in_required"
	CodeSignInFailed      = "sign_in_failed"
	CodeInvitationInvalid = "invitation_invalid"
	CodeCrossOrigin       = "cross_origin"
	CodeOIDCNotConfigured = "oidc_not_configured"
)

// Codes of connecting calendars (docs/reference/calendars.md).
const (
	CodeCalendarNotConfigured = "calendar_not_configured"
	CodeCalendarUnreachable   = "calendar_unreachable"
)

// Types of errors: groups of codes, for callers that do not need the exact code.
const (
	TypeInvalidRequest = "invalid_request_error"
	TypeAuthentication = "authentication_error"
	TypePermission     = "permission_error"
	TypeNotFound       = "not_found_error"
	TypeConflict       = "conflict_error"
	TypeIdempotency    = "idempotency_error"
	TypeRateLimit      = "rate_limit_error"
	TypeAPI            = "api_error"
)

// ErrorResponse is the body of every answer that is not 2xx.
type ErrorResponse struct {
	Error Error `json:"error" doc:"What went wrong."`
}

// Error says what went wrong and what to do about it.
type Error struct {
	Type          string       `json:"type" doc:"The kind of error." example:"invalid_request_error"`
	Code          string       `json:"code" doc:"Stable code to switch on." example:"parameter_invalid"`
	Message       string       `json:"message" doc:"A sentence for people." example:"name must be 1 to 80 characters long."`
	Param         string       `json:"param,omitempty" doc:"The field, query parameter or path parameter at fault." example:"name"`
	Errors        []FieldError `json:"errors,omitempty" doc:"Every failed field of a request, in the order of the schema."`
	RequiredScope string       `json:"required_scope,omitempty" doc:"The scope the key lacks (code insufficient_scope)." example:"rooms:write"`
	RetryAfter    int          `json:"retry_after,omitempty" doc:"Seconds to wait before another try (429 and 503)." example:"3"`
	DocURL        string       `json:"doc_url" doc:"Where this code is explained." example:"https://meet.example.com/docs/errors#parameter_invalid"`
	RequestID     string       `json:"request_id" doc:"The id of this request, also in the Request-Id header." example:"req_01jd3v5m8k9c2r7t4x6z0b1n2q"`
}

// FieldError is one failed field.
type FieldError struct {
	Param   string `json:"param" doc:"Path of the field." example:"settings.access"`
	Code    string `json:"code" doc:"Stable code." example:"parameter_invalid"`
	Message string `json:"message" doc:"A sentence for people." example:"settings.access must be one of members, link."`
}
