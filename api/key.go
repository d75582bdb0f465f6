package api

// APIKey describes a key, never the key itself.
type APIKey struct {
	Object      string  `json:"object" enum:"api_key" doc:"Always api_key."`
	ID          string  `json:"id" format:"uuid" doc:"Id."`
	WorkspaceID string  `json:"workspace_id" doc:"The workspace the key acts for."`
	Scopes      []Scope `json:"scopes" doc:"What the key may do."`
	Environment string  `json:"environment" enum:"live,test" doc:"live or test, from the key's prefix."`
	Name        string  `json:"name" doc:"What the key is for."`
	Prefix      string  `json:"prefix" doc:"The beginning of the key, to recognise it by." example:"svc_live_4fQz81Kd"`
	CreatedBy   string  `json:"created_by" doc:"The account that made the key; its rights are the key's."`
	CreatedAt   Time    `json:"created_at" doc:"When it was made."`
	ExpiresAt   *Time   `json:"expires_at" nullable:"true" doc:"When it stops working; null: never."`
	LastUsedAt  *Time   `json:"last_used_at" nullable:"true" doc:"When it was last used, to the minute."`
}
