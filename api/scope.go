package api

// Scope is a right of an API key.
type Scope string

// The scopes. docs/reference/authentication.md says what each allows.
const (
	ScopeRoomsRead         Scope = "rooms:read"
	ScopeRoomsWrite        Scope = "rooms:write"
	ScopeMeetingsRead      Scope = "meetings:read"
	ScopeMeetingsWrite     Scope = "meetings:write"
	ScopeTokensCreate      Scope = "tokens:create"
	ScopeParticipantsRead  Scope = "participants:read"
	ScopeParticipantsWrite Scope = "participants:write"
	ScopePollsRead         Scope = "polls:read"
	ScopePollsWrite        Scope = "polls:write"
	ScopeBreakoutsRead     Scope = "breakouts:read"
	ScopeBreakoutsWrite    Scope = "breakouts:write"
	ScopeRecordingsRead    Scope = "recordings:read"
	ScopeRecordingsWrite   Scope = "recordings:write"
	ScopeWebhooksManage    Scope = "webhooks:manage"
)

// Scopes lists every scope, in the order in which they are documented.
func Scopes() []Scope {
	return []Scope{
		ScopeRoomsRead, ScopeRoomsWrite, ScopeMeetingsRead, ScopeMeetingsWrite, ScopeTokensCreate,
		ScopeParticipantsRead, ScopeParticipantsWrite, ScopePollsRead, ScopePollsWrite,
		ScopeBreakoutsRead, ScopeBreakoutsWrite, ScopeRecordingsRead, ScopeRecordingsWrite, ScopeWebhooksManage,
	}
}
