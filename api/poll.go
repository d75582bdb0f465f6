package api

// Poll is a question put to everyone in a meeting.
type Poll struct {
	Object      string       `json:"object" enum:"poll" doc:"Always poll." example:"poll"`
	ID          string       `json:"id" format:"uuid" doc:"Id." example:"0192f3a1-7c3e-7d3a-9a41-3b6f0e5d2c11"`
	RoomID      string       `json:"room_id" format:"uuid" doc:"The room."`
	Question    string       `json:"question" doc:"1 to 240 characters." example:"Shall we meet on Friday?"`
	Kind        string       `json:"kind" enum:"single,multiple" doc:"One answer, or several."`
	Anonymous   bool         `json:"anonymous" doc:"When true, nobody learns who picked what, not even hosts."`
	Results     string       `json:"results" enum:"live,after_vote,after_close" doc:"When participants see counts. Hosts and this API always do."`
	Status      string       `json:"status" enum:"open,closed" doc:"Votes are taken while it is open."`
	CreatedBy   string       `json:"created_by" doc:"API for polls made through the API, otherwise the person's display name." example:"API"`
	CreatedAt   Time         `json:"created_at" doc:"When it was asked."`
	ClosedAt    *Time        `json:"closed_at" nullable:"true" doc:"When it was closed; null while it is open."`
	TotalVoters int          `json:"total_voters" doc:"How many people have voted."`
	Options     []PollOption `json:"options" doc:"Two to ten answers, in order."`
}

// PollOption is one answer to choose.
type PollOption struct {
	ID    string `json:"id" format:"uuid" doc:"Id."`
	Label string `json:"label" doc:"1 to 120 characters." example:"Yes"`
	Votes int    `json:"votes" doc:"How many people picked it."`
}

// PollCreate is the body of POST /rooms/{room_id}/polls.
type PollCreate struct {
	Question  string      `json:"question" minLength:"1" maxLength:"240" doc:"1 to 240 characters." example:"Shall we meet on Friday?"`
	Options   []string    `json:"options" minItems:"2" maxItems:"10" minLength:"1" maxLength:"120" uniqueItems:"true" doc:"Two to ten different answers of 1 to 120 characters." example:"Yes,No"`
	Kind      Opt[string] `json:"kind,omitzero" enum:"single,multiple" default:"single" doc:"One answer, or several."`
	Anonymous Opt[bool]   `json:"anonymous,omitzero" default:"false" doc:"When true, nobody learns who picked what, not even hosts."`
	Results   Opt[string] `json:"results,omitzero" enum:"live,after_vote,after_close" default:"live" doc:"When participants see counts."`
}

// PollUpdate is the body of PATCH /polls/{poll_id}.
type PollUpdate struct {
	Status string `json:"status" enum:"open,closed" doc:"Close the poll, or open it again." example:"closed"`
}

// PollDeleted is the result of a deletion.
type PollDeleted struct {
	Object  string `json:"object" enum:"poll" doc:"Always poll."`
	ID      string `json:"id" format:"uuid" doc:"Id of the deleted poll."`
	Deleted bool   `json:"deleted" doc:"Always true."`
}
