package api

// Recording is a recording of a meeting. It is stored encrypted; RecordingDownload says
// how to read it.
type Recording struct {
	Object     string `json:"object" enum:"recording" doc:"Always recording." example:"recording"`
	ID         string `json:"id" format:"uuid" doc:"Id." example:"0192f3a1-7c3e-7d3a-9a41-3b6f0e5d2c11"`
	RoomID     string `json:"room_id" format:"uuid" doc:"The room whose meeting was recorded. It may have been deleted since."`
	Title      string `json:"title" doc:"1 to 120 characters; at first the room's name." example:"Weekly review"`
	Status     string `json:"status" enum:"recording,processing,ready,failed" doc:"recording: it is being recorded. processing: it has ended, and parts may still arrive. ready: it is complete. failed: no part arrived."`
	Visibility string `json:"visibility" enum:"room,workspace,private" doc:"Who finds it on the recordings page. room: members who may enter the room. workspace: all members. private: the person who made it, and those who manage all rooms (owners, admins, and roles with that right)."`
	MIMEType   string `json:"mime_type" doc:"Media type of the rebuilt file." example:"video/mp4"`
	Parts      int    `json:"parts" doc:"How many encrypted parts are stored."`
	Bytes      int64  `json:"bytes" doc:"Size of the stored parts together, in bytes."`
	DurationMS int64  `json:"duration_ms" doc:"How long it plays, in milliseconds."`
	StartedAt  Time   `json:"started_at" doc:"When recording began."`
	EndedAt    *Time  `json:"ended_at" nullable:"true" doc:"When recording ended; null while it is running."`
	Managed    *bool  `json:"managed,omitempty" doc:"In answers to a signed-in member: whether they may change and delete the recording. Absent elsewhere."`
}

// RecordingDownload says how to rebuild the file of a recording: fetch the parts in
// order, decrypt each, and concatenate them.
type RecordingDownload struct {
	Object     string              `json:"object" enum:"recording.download" doc:"Always recording.download." example:"recording.download"`
	ID         string              `json:"id" format:"uuid" doc:"Id of the recording."`
	MIMEType   string              `json:"mime_type" doc:"Media type of the rebuilt file." example:"video/mp4"`
	Bytes      int64               `json:"bytes" doc:"Size of the stored parts together, in bytes. The rebuilt file is 28 bytes smaller for each part."`
	Encryption RecordingEncryption `json:"encryption" doc:"How each part is encrypted."`
	Parts      []RecordingPart     `json:"parts" doc:"The parts, in the order of the file."`
}

// RecordingEncryption says how the parts of a recording are encrypted. A part has an IV
// of IVBytes bytes, then ciphertext and tag; its additional data is
// "service-recording:<recording id>:<index>".
type RecordingEncryption struct {
	Algorithm   string `json:"algorithm" enum:"AES-256-GCM" doc:"Always AES-256-GCM." example:"AES-256-GCM"`
	Key         string `json:"key" doc:"The key of this recording, 32 bytes. Keep it secret like a password."`
	KeyEncoding string `json:"key_encoding" enum:"base64url" doc:"Always base64url, without padding." example:"base64url"`
	IVBytes     int    `json:"iv_bytes" doc:"How many bytes of each part are its IV." example:"12"`
}

// RecordingPart is the address of a part of a recording.
type RecordingPart struct {
	Index int    `json:"index" doc:"Its place in the file, from 0."`
	URL   string `json:"url" format:"uri" doc:"Address of the part. Fetch it with the same API key."`
}

// RecordingDeleted is the answer to the deletion of a recording.
type RecordingDeleted struct {
	Object  string `json:"object" enum:"recording" doc:"Always recording." example:"recording"`
	ID      string `json:"id" format:"uuid" doc:"Id."`
	Deleted bool   `json:"deleted" doc:"Always true."`
}

// RecordingUpdate is the body of PATCH /recordings/{recording_id}, a JSON merge
// patch.
type RecordingUpdate struct {
	Title      Opt[string] `json:"title,omitzero" minLength:"1" maxLength:"120" doc:"1 to 120 characters."`
	Visibility Opt[string] `json:"visibility,omitzero" enum:"room,workspace,private" doc:"Who finds it on the recordings page."`
}

// RecordingEvent is the data of recording.ready.
type RecordingEvent struct {
	Room       RoomRef   `json:"room" doc:"The room."`
	Recording  Recording `json:"recording" doc:"The recording; never its key."`
	OccurredAt Time      `json:"occurred_at" doc:"When it happened; orders events."`
}
