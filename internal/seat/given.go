package seat

import "time"

// stageGrace is how long a person on the stage or in the spotlight may be gone and
// keep it. A reload takes a few seconds.
const stageGrace = 15 * time.Second

// WhileGone is the seat when its holder comes in. It leaves out rights that last
// only while they are connected: stage and spotlight, and for the holder of a token
// also co-host. A short absence, such as a reload, changes nothing.
func (s Seat) WhileGone(now time.Time) Seat {
	if s.Status == LetThrough || s.Status == Lost && !s.OnStageStill(now) {
		s.OnStage, s.SpotlitAt = false, time.Time{}
	}
	if s.Status == LetThrough && s.Kind == KindToken {
		s.Cohost = false
	}
	return s
}

// Returns says whether a person who is not in will have what a host gave them again as
// soon as they come in: admission and co-host last until the meeting ends or they are
// removed. A co-host keeps the right while they knock, and also if nobody lets them in.
// The holder of a media token is co-host only while connected.
func (s Seat) Returns() bool {
	switch s.Status {
	case Left:
		return s.Admitted || s.Cohost && s.Kind != KindToken
	case Waiting, Early, Denied, Expired:
		return s.Cohost
	case LetThrough, In, Lost, Removed, Over:
	}
	return false
}

// OnStageStill says whether a person keeps the stage and the spotlight: they are in,
// or have been gone only for a moment.
func (s Seat) OnStageStill(now time.Time) bool {
	return s.Status == In || s.Status == Lost && s.goneFor(now) <= stageGrace
}

// Inheriting is a seat with the rights that the person has on their other seats:
// admission, co-host and stage follow the person. The holder of a media token
// keeps them while connected. Other people keep them until the meeting ends, which
// closes their seats. A name that the person took in the meeting follows them, too.
func (s Seat) Inheriting(others []Seat, now time.Time) Seat {
	for _, o := range others {
		s.Admitted = s.Admitted || o.StillAdmitted()
		s.OnStage = s.OnStage || o.OnStage && o.OnStageStill(now)
		if s.OwnName && o.Alive() && o.RenamedAt.After(s.RenamedAt) {
			s = s.Renamed(o.Name, o.RenamedAt)
		}
		switch o.Status {
		case In:
			s.Cohost = s.Cohost || o.Cohost
		case LetThrough, Lost, Left, Waiting, Early, Denied, Expired:
			s.Cohost = s.Cohost || (o.Cohost && o.Kind != KindToken)
		case Removed, Over:
		}
	}
	return s
}
