package live

import (
	"github.com/conclave-rooms/conclave/internal/room"
	"github.com/conclave-rooms/conclave/internal/seat"
)

// rights are the rights of a person that the media server enforces.
type rights struct {
	Microphone, Camera, ScreenShare, ScreenShareAudio bool

	Data          bool
	OwnAttributes bool // may set its own attributes
}

// rightsIn works out the rights that the media server must enforce for a seat.
// Without a ticket the participant attribute is the only way to raise a hand.
// Clients with a ticket need no attributes.
func rightsIn(r room.Room, held seat.Seat) rights {
	may := held.May(r)
	return rights{
		Microphone: may.Microphone, Camera: may.Camera, ScreenShare: may.ScreenShare, ScreenShareAudio: may.ScreenShare,
		// In strict rooms devices tell each other which keys they have.
		Data: may.Chat || may.Reactions || r.Strict(), OwnAttributes: held.TicketHash == "",
	}
}
