package livekit

import (
	"io"
	"net/http"
	"time"

	"github.com/livekit/protocol/livekit"
	"github.com/livekit/protocol/utils/protojson"
	"github.com/livekit/protocol/webhook"

	"github.com/conclave-rooms/conclave/internal/media"
)

// hintMaxBody bounds a webhook, which is some kilobytes.
const hintMaxBody = 1 << 18

// hints receives LiveKit's webhooks and passes them on as hints.
type hints struct {
	key, secret string
	now         func() time.Time
	queue       *media.HintQueue
	// external is set for a server that posts through a network. Somebody could post
	// an old webhook again, so a webhook only names the room to look at.
	external bool
}

func newHints(key, secret string, now func() time.Time) *hints {
	return &hints{key: key, secret: secret, now: now, queue: media.NewHintQueue()}
}

// ServeHTTP receives one webhook. It accepts only those signed with our key, and
// reads nothing of others.
func (h *hints) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	const foreign = "This is not a webhook of our media server."
	hash, err := h.signedHash(r.Header.Get("Authorization"))
	if err != nil {
		http.Error(w, foreign, http.StatusUnauthorized)
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, hintMaxBody))
	if err != nil {
		http.Error(w, "The webhook is too large, or did not arrive whole.", http.StatusBadRequest)
		return
	}
	if !isHashOf(hash, body) {
		http.Error(w, foreign, http.StatusUnauthorized)
		return
	}
	event := &livekit.WebhookEvent{}
	if err := protojson.Unmarshal(body, event); err != nil {
		http.Error(w, "The webhook is not one of LiveKit's.", http.StatusBadRequest)
		return
	}
	h.queue.Put(h.hint(event))
}

func (h *hints) hint(event *livekit.WebhookEvent) media.Hint {
	if h.external {
		return media.Hint{Kind: media.HintOther, Room: event.GetRoom().GetName()}
	}
	return hintOf(event)
}

func hintOf(event *livekit.WebhookEvent) media.Hint {
	h := media.Hint{
		Kind:      media.HintOther,
		Room:      event.GetRoom().GetName(),
		Identity:  event.GetParticipant().GetIdentity(),
		SessionID: event.GetParticipant().GetSid(),
	}
	switch event.GetEvent() {
	case webhook.EventParticipantJoined:
		h.Kind = media.HintJoined
	case webhook.EventParticipantLeft:
		h.Kind = media.HintLeft
		h.Deliberate = event.GetParticipant().GetDisconnectReason() == livekit.DisconnectReason_CLIENT_INITIATED
		h.JoinedAt = joinedAt(event.GetParticipant())
	case webhook.EventTrackPublished:
		h.Kind = media.HintPublished
	}
	return h
}
