package live

import (
	"context"
	"net/http"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/actor"
	"github.com/conclave-rooms/conclave/internal/auth"
	"github.com/conclave-rooms/conclave/internal/rest"
	"github.com/conclave-rooms/conclave/internal/stream"
)

type personInput struct {
	RoomID   string `path:"room_id" doc:"Id of the room." format:"uuid"`
	Identity string `path:"identity" doc:"Connection identity, or the participant id before its dot for all connections of one person."`
}

// MountControl registers what a key may do to a running meeting.
func (s *Service) MountControl(d *rest.Group) {
	const person = "/rooms/{room_id}/participants/{identity}"
	op := func(id, method, path, summary, description string, codes ...string) rest.Op {
		return rest.Op{
			ID: id, Method: method, Path: path, Tag: "Participants", Scope: api.ScopeParticipantsWrite,
			Summary: summary, Description: description, Errors: append(codes, api.CodeRoomNotManaged),
		}
	}
	rest.Handle(d, op("muteParticipant", http.MethodPost, person+"/mute", "Mute a participant",
		"Turns the microphone off. Only the person can turn it on again.", api.CodeMediaUnavailable),
		func(ctx context.Context, in *personInput) (api.ParticipantMuted, error) {
			err := s.Mute(ctx, actor.ByKey(auth.From(ctx), in.RoomID), in.Identity)
			return api.ParticipantMuted{Object: "participant", Identity: in.Identity, AudioMuted: true}, err
		})
	for _, cohost := range []bool{true, false} {
		method := givesOrTakes(cohost)
		o := op("makeCohost", method, person+"/cohost", "Make somebody co-host",
			"A co-host admits, mutes and removes people and runs breakouts and polls in this meeting, which is all. Lasts until the meeting ends; for people joined by token, while they are connected.")
		if !cohost {
			o.ID, o.Summary, o.Description = "removeCohost", "Take co-host powers back", "Refused for the room's own hosts."
			o.Errors = append(o.Errors, api.CodeNotACohost)
		}
		rest.Handle(d, o, func(ctx context.Context, in *personInput) (api.ParticipantCohost, error) {
			err := s.SetCohost(ctx, actor.ByKey(auth.From(ctx), in.RoomID), in.Identity, cohost)
			return api.ParticipantCohost{Object: "participant", Identity: in.Identity, Cohost: cohost}, err
		})
	}
	for _, onStage := range []bool{true, false} {
		method := givesOrTakes(onStage)
		o := op("inviteToStage", method, person+"/stage", "Invite to the stage",
			"In a webinar: the person may speak, show their camera and, if the room allows, their screen. Lasts while they are connected. Their hand goes down. Sends participant.stage_changed.",
			api.CodeNotAWebinar)
		if onStage {
			o.Errors = append(o.Errors, api.CodeAlreadyHost)
		} else {
			o.ID, o.Summary = "moveToAudience", "Move to the audience"
			o.Description = "Microphone, camera and screen stop at once; hosts and co-hosts speak nevertheless. Sends participant.stage_changed."
		}
		rest.Handle(d, o, func(ctx context.Context, in *personInput) (api.ParticipantOnStage, error) {
			err := s.SetStage(ctx, actor.ByKey(auth.From(ctx), in.RoomID), in.Identity, onStage)
			return api.ParticipantOnStage{Object: "participant", Identity: in.Identity, OnStage: onStage}, err
		})
	}
	rest.Handle(d, op("removeParticipant", http.MethodDelete, person, "Remove a participant",
		"Disconnects the person on all devices. They may return with a new token or link: lock the room too to stop that."),
		func(ctx context.Context, in *personInput) (api.ParticipantRemoved, error) {
			err := s.Remove(ctx, actor.ByKey(auth.From(ctx), in.RoomID), in.Identity)
			return api.ParticipantRemoved{Object: "participant", Identity: in.Identity, Removed: true}, err
		})
	rest.Handle(d, op("endMeeting", http.MethodPost, "/rooms/{room_id}/end", "End the meeting",
		"Disconnects everyone; the room and its link remain. With no meeting running nothing happens. Sends participant.left for everybody and room.finished."),
		func(ctx context.Context, in *roomInput) (api.RoomEnded, error) {
			r, err := s.End(ctx, actor.ByKey(auth.From(ctx), in.RoomID))
			return api.RoomEnded{Object: "room", ID: r.ID, Ended: true}, err
		})
}

// givesOrTakes is the method that gives something to a person, or takes it
// back.
func givesOrTakes(gives bool) string {
	if gives {
		return http.MethodPost
	}
	return http.MethodDelete
}

type someoneInput struct {
	Identity string `path:"identity" doc:"Connection identity."`
}

// RoomChange is a change of the room by one of its own hosts.
type RoomChange struct {
	Locked   api.Opt[bool]  `json:"locked,omitzero" doc:"Lock or unlock."`
	Settings SettingsChange `json:"settings,omitzero" doc:"Settings to change; the others stay."`
}

// SettingsChange are the settings that a host may change in the meeting.
type SettingsChange struct {
	Access           api.Opt[string] `json:"access,omitzero" enum:"members,link"`
	Admission        api.Opt[string] `json:"admission,omitzero" enum:"direct,knock"`
	MuteOnEntry      api.Opt[bool]   `json:"mute_on_entry,omitzero"`
	CameraOffOnEntry api.Opt[bool]   `json:"camera_off_on_entry,omitzero"`
	ScreenShare      api.Opt[string] `json:"screen_share,omitzero" enum:"everyone,hosts"`
	Reactions        api.Opt[bool]   `json:"reactions,omitzero"`
	Chat             api.Opt[bool]   `json:"chat,omitzero"`
}

type changeInput struct{ Body RoomChange }

// MountMeetControl registers what hosts do in the meeting itself.
func (s *Service) MountMeetControl(d *rest.Group) {
	s.mountForOne(d)
	s.mountForAll(d)
}

// mountForOne registers what hosts do to one person.
func (s *Service) mountForOne(d *rest.Group) {
	act := func(id, method, path, summary string, do func(ctx context.Context, authorize actor.Authorize, identity string) error, codes ...string) {
		codes = append(codes, api.CodeHostOnly, api.CodeNotInMeeting)
		rest.Handle(d, rest.Op{ID: id, Method: method, Path: path, Tag: "Host", Summary: summary, Errors: codes},
			func(ctx context.Context, in *someoneInput) (rest.Done, error) {
				return rest.Did(do(ctx, actor.ByHost(rest.Bearer(ctx), s.Now), in.Identity))
			})
	}
	act("hostMute", http.MethodPost, "/people/{identity}/mute", "Mute somebody", s.Mute, api.CodeMediaUnavailable)
	act("hostAskToUnmute", http.MethodPost, "/people/{identity}/ask-to-unmute", "Ask somebody to unmute", s.AskToUnmute, api.CodeCannotBeAsked)
	act("hostStopCamera", http.MethodPost, "/people/{identity}/stop-camera", "Stop somebody's camera", s.StopCamera, api.CodeMediaUnavailable)
	act("hostLowerHand", http.MethodDelete, "/people/{identity}/hand", "Lower somebody's hand", s.LowerHand, api.CodeMediaUnavailable)
	act("hostRemove", http.MethodDelete, "/people/{identity}", "Remove somebody", s.Remove, api.CodeOwnHost)
	for _, on := range []bool{true, false} {
		method, suffix := givesOrTakes(on), "Off"
		cohost, stage := "Take co-host powers back", "Move somebody to the audience"
		codes := []string{api.CodeNotAWebinar}
		if on {
			suffix, cohost, stage = "On", "Make somebody co-host", "Invite somebody to the stage"
			codes = append(codes, api.CodeAlreadyHost)
		}
		act("hostCohost"+suffix, method, "/people/{identity}/cohost", cohost,
			func(ctx context.Context, authorize actor.Authorize, identity string) error {
				return s.SetCohost(ctx, authorize, identity, on)
			}, api.CodeNotACohost)
		act("hostStage"+suffix, method, "/people/{identity}/stage", stage,
			func(ctx context.Context, authorize actor.Authorize, identity string) error {
				return s.SetStage(ctx, authorize, identity, on)
			}, codes...)
	}
	for _, lit := range []bool{true, false} {
		method, suffix, summary := givesOrTakes(lit), "Off", "Stop showing somebody large"
		codes := []string{}
		if lit {
			suffix, summary, codes = "On", "Show somebody large to everyone", []string{api.CodeLimitReached, api.CodeNotOnStage}
		}
		act("hostSpotlight"+suffix, method, "/people/{identity}/spotlight", summary,
			func(ctx context.Context, authorize actor.Authorize, identity string) error {
				return s.SetSpotlight(ctx, authorize, identity, lit)
			}, codes...)
	}
}

// mountForAll registers what hosts do to everybody, and to the room.
func (s *Service) mountForAll(d *rest.Group) {
	rest.Handle(d, rest.Op{ID: "hostMuteAll", Method: http.MethodPost, Path: "/mute-all", Tag: "Host", Summary: "Mute everybody else", Errors: []string{api.CodeHostOnly, api.CodeNotInMeeting, api.CodeMediaUnavailable}},
		func(ctx context.Context, _ *struct{}) (rest.Done, error) {
			return rest.Did(s.MuteAll(ctx, actor.ByHost(rest.Bearer(ctx), s.Now)))
		})
	rest.Handle(d, rest.Op{ID: "hostLowerHands", Method: http.MethodDelete, Path: "/hands", Tag: "Host", Summary: "Lower all hands", Errors: []string{api.CodeHostOnly, api.CodeNotInMeeting, api.CodeMediaUnavailable}},
		func(ctx context.Context, _ *struct{}) (rest.Done, error) {
			return rest.Did(s.LowerHands(ctx, actor.ByHost(rest.Bearer(ctx), s.Now)))
		})
	rest.Handle(d, rest.Op{ID: "hostEnd", Method: http.MethodPost, Path: "/end", Tag: "Host", Summary: "End the meeting for everyone", Errors: []string{api.CodeHostOnly, api.CodeNotInMeeting}},
		func(ctx context.Context, _ *struct{}) (rest.Done, error) {
			_, err := s.End(ctx, actor.ByHost(rest.Bearer(ctx), s.Now))
			return rest.Did(err)
		})
	rest.Handle(d, rest.Op{ID: "hostChangeRoom", Method: http.MethodPatch, Path: "/room", Tag: "Host", Summary: "Change the room's settings and lock", Errors: []string{api.CodeHostOnly, api.CodeNotInMeeting}},
		func(ctx context.Context, in *changeInput) (stream.RoomView, error) {
			set := in.Body.Settings
			r, err := s.ChangeRoom(ctx, rest.Bearer(ctx), api.RoomUpdate{Locked: in.Body.Locked, Settings: api.RoomSettingsUpdate{
				Access: set.Access, Admission: set.Admission, MuteOnEntry: set.MuteOnEntry, CameraOffOnEntry: set.CameraOffOnEntry,
				ScreenShare: set.ScreenShare, Reactions: set.Reactions, Chat: set.Chat,
			}})
			return stream.ViewOf(r, s.PublicURL), err
		})
}
