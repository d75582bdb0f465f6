package gate

import "github.com/livekit/protocol/livekit"

// subscription filters a change of which tracks of others the client receives.
func (q *requests) subscription(said *livekit.UpdateSubscription) (*livekit.UpdateSubscription, error) {
	kept := &livekit.UpdateSubscription{TrackSids: said.GetTrackSids(), Subscribe: said.GetSubscribe()}
	if err := q.wants(said.GetTrackSids()); err != nil {
		return nil, err
	}
	for _, p := range said.GetParticipantTracks() {
		if err := firstOf(short(p.GetParticipantSid()), q.wants(p.GetTrackSids())); err != nil {
			return nil, err
		}
		kept.ParticipantTracks = append(kept.ParticipantTracks, &livekit.ParticipantTracks{
			ParticipantSid: p.GetParticipantSid(), TrackSids: p.GetTrackSids(),
		})
	}
	return kept, nil
}

// settings filters how the client receives tracks of others.
func (q *requests) settings(said *livekit.UpdateTrackSettings) (*livekit.UpdateTrackSettings, error) {
	kept := &livekit.UpdateTrackSettings{
		TrackSids: said.GetTrackSids(), Disabled: said.GetDisabled(), Quality: said.GetQuality(),
		Width: said.GetWidth(), Height: said.GetHeight(), Fps: said.GetFps(), Priority: said.GetPriority(),
	}
	return kept, firstOf(
		q.wants(said.GetTrackSids()),
		atMost(int(livekit.VideoQuality_HIGH), int(said.GetQuality())),
		atMost[uint32](maxSide, said.GetWidth(), said.GetHeight()),
		atMost[uint32](maxFPS, said.GetFps()),
		atMost[uint32](maxPriority, said.GetPriority()),
	)
}

// permission lets a client say that everybody may receive its tracks, which is
// so from the beginning. A client that keeps its tracks from somebody could be
// heard by all but the hosts, or be missing in a recording, unseen.
func permission(said *livekit.SubscriptionPermission) (*livekit.SubscriptionPermission, error) {
	if !said.GetAllParticipants() {
		return nil, errChosenReceivers
	}
	return &livekit.SubscriptionPermission{AllParticipants: true}, nil
}

// wants counts the tracks of others that a request names.
func (q *requests) wants(tracks []string) error {
	for _, track := range tracks {
		if _, known := q.wanted[track]; known {
			continue
		}
		if len(q.wanted) == maxWanted {
			return errTooManyTracks
		}
		if err := short(track); err != nil {
			return err
		}
		if q.wanted == nil {
			q.wanted = map[string]struct{}{}
		}
		q.wanted[track] = struct{}{}
	}
	return nil
}

// syncState filters the state that a client had before it reconnected.
func (q *requests) syncState(said *livekit.SyncState) (*livekit.SyncState, error) {
	if q.syncs++; q.syncs > maxSyncs {
		return nil, errTooOften
	}
	answer, err := describe(said.GetAnswer(), "answer")
	if err != nil {
		return nil, err
	}
	offer, err := describe(said.GetOffer(), "offer")
	if err != nil {
		return nil, err
	}
	kept := &livekit.SyncState{Answer: answer, Offer: offer, TrackSidsDisabled: said.GetTrackSidsDisabled()}
	if s := said.GetSubscription(); s != nil {
		if kept.Subscription, err = q.subscription(s); err != nil {
			return nil, err
		}
	}
	if kept.PublishTracks, err = published(said.GetPublishTracks()); err != nil {
		return nil, err
	}
	if kept.DataChannels, err = channels(said.GetDataChannels()); err != nil {
		return nil, err
	}
	if err := atMost(maxWanted, len(said.GetDatachannelReceiveStates())); err != nil {
		return nil, err
	}
	for _, s := range said.GetDatachannelReceiveStates() {
		if err := short(s.GetPublisherSid()); err != nil {
			return nil, err
		}
		kept.DatachannelReceiveStates = append(kept.DatachannelReceiveStates,
			&livekit.DataChannelReceiveState{PublisherSid: s.GetPublisherSid(), LastSeq: s.GetLastSeq()})
	}
	return kept, q.wants(said.GetTrackSidsDisabled())
}

// published filters the client's own tracks.
func published(said []*livekit.TrackPublishedResponse) ([]*livekit.TrackPublishedResponse, error) {
	if len(said) > maxAddTracks {
		return nil, errTooManyTracks
	}
	var kept []*livekit.TrackPublishedResponse
	for _, t := range said {
		own := &livekit.TrackPublishedResponse{Cid: t.GetCid()}
		if err := short(own.GetCid()); err != nil {
			return nil, err
		}
		if t.GetTrack() != nil { // the media server distinguishes a missing track from an empty one
			var err error
			if own.Track, err = trackInfo(t.GetTrack()); err != nil {
				return nil, err
			}
		}
		kept = append(kept, own)
	}
	return kept, nil
}

func channels(said []*livekit.DataChannelInfo) ([]*livekit.DataChannelInfo, error) {
	if err := atMost(maxChannels, len(said)); err != nil {
		return nil, err
	}
	var kept []*livekit.DataChannelInfo
	for _, c := range said {
		if err := firstOf(short(c.GetLabel()), known(livekit.SignalTarget_name, c.GetTarget()), atMost(1<<16-1, c.GetId())); err != nil {
			return nil, err
		}
		kept = append(kept, &livekit.DataChannelInfo{Label: c.GetLabel(), Id: c.GetId(), Target: c.GetTarget()})
	}
	return kept, nil
}
