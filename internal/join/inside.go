package join

import "github.com/conclave-rooms/conclave/api"

// namesShown is how many of the people in the meeting a room's page names.
const namesShown = 3

// mayKnowHowMany says whether a visitor who got this reason from the door may know
// how many people are in the meeting: everybody who may enter or wait, except a
// stranger, who learns only that the room exists. People who are refused may not,
// except members and own hosts at a locked room.
func (v visitor) mayKnowHowMany(reason Reason) bool {
	if v.coming().stranger(v.Room) {
		return false
	}
	return reason == Enter || reason.wait() != "" || reason == Locked && (v.Relation.Member || v.arrivesAs() == api.RoleHost)
}

// mayKnowWho says whether the visitor may also know who these people are. They may
// when they could see them at once by coming in.
func (v visitor) mayKnowWho(reason Reason) bool { return reason == Enter && !v.Room.Locked }
