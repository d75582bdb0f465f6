package api

// WaitingParticipant is somebody who waits for a host to let them in.
type WaitingParticipant struct {
	Object   string `json:"object" enum:"waiting_participant" doc:"Always waiting_participant."`
	Identity string `json:"identity" doc:"The identity they will have in the meeting."`
	Name     string `json:"name" doc:"Display name."`
}

// WaitingDecision is the body of POST /rooms/{room_id}/waiting/{identity}.
type WaitingDecision struct {
	Decision string `json:"decision" enum:"admit,deny" doc:"Let the person in, or turn them away." example:"admit"`
}

// WaitingDecided is the result of a decision.
type WaitingDecided struct {
	Object   string `json:"object" enum:"waiting_participant" doc:"Always waiting_participant."`
	Identity string `json:"identity" doc:"The identity they will have in the meeting."`
	Decision string `json:"decision" enum:"admit,deny" doc:"The decision."`
}
