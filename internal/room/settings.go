package room

import (
	"errors"
	"reflect"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/fault"
)

// NewSettings returns the settings of a new room. Where its recordings are kept
// depends on its encryption; the defaults of the other settings are in the tags of
// api.RoomSettingsUpdate, and the request has them.
func NewSettings(kind string, u api.RoomSettingsUpdate) (api.RoomSettings, error) {
	if !u.Access.Set {
		return api.RoomSettings{}, errors.New("make the settings of a room: the request lacks its defaults")
	}
	return merge(api.RoomSettings{Type: kind, Recordings: "workspace"}, u)
}

// merge applies an update to settings. The edge has checked each value; merge
// checks the combination. A strict room's recordings are always end_to_end: asking
// for workspace recordings is refused, and becoming strict changes them. A room
// that returns to standard keeps end_to_end until that is changed too.
func merge(s api.RoomSettings, u api.RoomSettingsUpdate) (api.RoomSettings, error) {
	s.Access = u.Access.Or(s.Access)
	s.Admission = u.Admission.Or(s.Admission)
	s.MuteOnEntry = u.MuteOnEntry.Or(s.MuteOnEntry)
	s.CameraOffOnEntry = u.CameraOffOnEntry.Or(s.CameraOffOnEntry)
	s.ScreenShare = u.ScreenShare.Or(s.ScreenShare)
	s.Reactions = u.Reactions.Or(s.Reactions)
	s.Chat = u.Chat.Or(s.Chat)
	s.Encryption = u.Encryption.Or(s.Encryption)
	s.BeforeHost = u.BeforeHost.Or(s.BeforeHost)
	if s.Encryption != "strict" {
		s.Recordings = u.Recordings.Or(s.Recordings)
		return s, nil
	}
	s.Recordings = "end_to_end"
	return s, refuseTogether(s.Encryption, u)
}

// refuseTogether refuses an update that asks for workspace recordings in a room
// whose encryption is, or becomes, the given one.
func refuseTogether(encryption string, u api.RoomSettingsUpdate) error {
	if encryption == "strict" && u.Recordings.Or("end_to_end") == "workspace" {
		return fault.BadParameter("settings.recordings", "settings.recordings must be end_to_end in a room with strict encryption.")
	}
	return nil
}

// refuseOthers is refuseTogether for settings of which some may be wrong by themselves.
// stored is the encryption of the room before; "" for a new room.
func refuseOthers(stored string, u api.RoomSettingsUpdate, wrong func(param string) bool) error {
	if wrong("settings.encryption") || wrong("settings.recordings") {
		return nil
	}
	return refuseTogether(u.Encryption.Or(stored), u)
}

// apply returns the room after an update.
func apply(r Room, u api.RoomUpdate) (Room, error) {
	settings, err := merge(r.Settings, u.Settings)
	if err != nil {
		return Room{}, err
	}
	r.Settings = settings
	r.Name = u.Name.Or(r.Name)
	r.Locked = u.Locked.Or(r.Locked)
	if u.Description.Set {
		r.Description = nonEmpty(u.Description.Ptr())
	}
	return r, nil
}

// nonEmpty turns an empty text into nil, because both clear a field.
func nonEmpty(s *string) *string {
	if s == nil || *s == "" {
		return nil
	}
	return s
}

// changes returns the earlier values of what differs between two states of a room,
// nested as in the API's object. It is empty when they are equal.
func changes(before, after Room) map[string]any {
	out := map[string]any{}
	if before.Name != after.Name {
		out["name"] = before.Name
	}
	if !reflect.DeepEqual(before.Description, after.Description) {
		out["description"] = before.Description
	}
	if before.Locked != after.Locked {
		out["locked"] = before.Locked
	}
	settings := map[string]any{}
	b, a := reflect.ValueOf(before.Settings), reflect.ValueOf(after.Settings)
	for i := range b.NumField() {
		if was := b.Field(i).Interface(); was != a.Field(i).Interface() {
			settings[b.Type().Field(i).Tag.Get("json")] = was
		}
	}
	if len(settings) > 0 {
		out["settings"] = settings
	}
	return out
}
