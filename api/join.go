package api

// RoomToken lets one person connect with LiveKit's client library.
type RoomToken struct {
	Object         string `json:"object" enum:"room_token" doc:"Always room_token."`
	ServerURL      string `json:"server_url" doc:"WebSocket address of the media server." example:"wss://meet.example.com"`
	Token          string `json:"token" doc:"Media token: a secret of this person only."`
	Identity       string `json:"identity" doc:"Connection identity of the person." example:"api_ada.k3v9x7q2"`
	E2EEPassphrase string `json:"e2ee_passphrase" doc:"The meeting's end-to-end passphrase: a secret of the people in it."`
	ExpiresIn      int    `json:"expires_in" doc:"Seconds left to connect." example:"600"`
}

// TokenCreate is the body of POST /rooms/{room_id}/tokens.
type TokenCreate struct {
	Name   string      `json:"name" person:"true" minLength:"1" maxLength:"60" doc:"Display name, 1 to 60 characters." example:"Ada"`
	Role   Opt[string] `json:"role,omitzero" enum:"host,participant" default:"participant" doc:"Role in the meeting."`
	UserID Opt[string] `json:"user_id,omitzero" minLength:"1" maxLength:"64" doc:"Your own id of this person: the same user_id on two devices is one person." example:"ada"`
	Avatar Opt[string] `json:"avatar,omitzero" enum:"a01,a02,a03,a04,a05,a06,a07,a08,a09,a10,a11,a12,a13,a14,a15,a16" doc:"Preset picture shown while the camera is off."`
}

// JoinLink is a person's own way into a room with the service's interface.
type JoinLink struct {
	Object      string  `json:"object" enum:"join_link" doc:"Always join_link."`
	ID          string  `json:"id" format:"uuid" doc:"Id."`
	URL         string  `json:"url" format:"uri" doc:"The link. Its secret is in the fragment, so that it appears in no access log and no Referer." example:"https://meet.example.com/abc-defg-hjk#join=..."`
	RoomID      string  `json:"room_id" format:"uuid" doc:"The room."`
	Name        string  `json:"name" doc:"Display name."`
	Role        Role    `json:"role" enum:"host,participant" doc:"Role in the meeting."`
	UserID      *string `json:"user_id" nullable:"true" doc:"Your own id of this person."`
	Avatar      *string `json:"avatar" nullable:"true" doc:"Preset picture."`
	RedirectURL *string `json:"redirect_url" nullable:"true" doc:"Where the person goes after the meeting."`
	ExpiresAt   Time    `json:"expires_at" doc:"When the link stops working."`
	CreatedAt   Time    `json:"created_at" doc:"When it was made."`
}

// JoinLinkCreate is the body of POST /rooms/{room_id}/join-links.
type JoinLinkCreate struct {
	Name        string      `json:"name" person:"true" minLength:"1" maxLength:"60" doc:"Display name, 1 to 60 characters." example:"Ada"`
	Role        Opt[string] `json:"role,omitzero" enum:"host,participant" default:"participant" doc:"Role in the meeting."`
	RedirectURL Opt[string] `json:"redirect_url,omitzero" format:"uri" maxLength:"2000" doc:"https address where the person goes after the meeting. A service at localhost also takes http://localhost."`
	UserID      Opt[string] `json:"user_id,omitzero" minLength:"1" maxLength:"64" doc:"Your own id of this person."`
	Avatar      Opt[string] `json:"avatar,omitzero" enum:"a01,a02,a03,a04,a05,a06,a07,a08,a09,a10,a11,a12,a13,a14,a15,a16" doc:"Preset picture shown while the camera is off."`
	ExpiresIn   Opt[int]    `json:"expires_in,omitzero" minimum:"60" maximum:"31536000" default:"2592000" doc:"Seconds until the link stops working."`
}
