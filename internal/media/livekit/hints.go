package livekit

import (
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/livekit/protocol/livekit"
	"github.com/livekit/protocol/utils/protojson"
	"github.com/livekit/protocol/webhook"

	"github.com/conclave-rooms/conclave/internal/media"
)

// hintMaxBody bounds a webhook, which is some kilobytes.
const hintMaxBody = 1 << 20

// hints receives LiveKit's webhooks and passes them on as hints.
type hints struct {
	key, secret string
	now         func() time.Time
	queue       *media.HintQueue
}

func newHints(key, secret string, now func() time.Time) *hints {
	return &hints{key: key, secret: secret, now: now, queue: media.NewHintQueue()}
}

// ServeHTTP receives one webhook. It accepts only those signed with our key.
func (h *hints) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, hintMaxBody)
	event, err := h.receive(r)
	if err != nil {
		http.Error(w, "This is not a webhook of our media server.", http.StatusUnauthorized)
		return
	}
	h.queue.Put(hint(event))
}

func (h *hints) receive(r *http.Request) (*livekit.WebhookEvent, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, fmt.Errorf("read a webhook: %w", err)
	}
	if err := h.checkSigned(r.Header.Get("Authorization"), body); err != nil {
		return nil, err
	}
	event := &livekit.WebhookEvent{}
	if err := protojson.Unmarshal(body, event); err != nil {
		return nil, fmt.Errorf("read a webhook: %w", err)
	}
	return event, nil
}

func hint(event *livekit.WebhookEvent) media.Hint {
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
	case webhook.EventTrackPublished:
		h.Kind = media.HintPublished
	}
	return h
}
