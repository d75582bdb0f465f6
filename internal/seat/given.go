package seat

import "time"

// stageGrace is how long somebody on stage may be gone and come back to it: a
// reload takes a few seconds.
const stageGrace = 15 * time.Second

// WhileGone is the seat when its holder comes in, without what lasts only while
// they are connected: the stage, and for the holder of a token also co-host. A
// short absence, such as a reload, changes nothing.
func (s Seat) WhileGone(now time.Time) Seat {
	if s.Status == LetThrough || s.Status == Lost && !s.OnStageStill(now) {
		s.OnStage = false
	}
	if s.Status == LetThrough && s.Kind == KindToken {
		s.Cohost = false
	}
	return s
}

// OnStageStill says whether somebody on stage keeps it: they are in, or have been
// gone for a moment only.
func (s Seat) OnStageStill(now time.Time) bool {
	return s.Status == In || s.Status == Lost && !now.After(s.LeftAt.Add(stageGrace))
}

// Inheriting is a seat with what the person was given on their other ones:
// admission, co-host and stage follow the person. What the holder of a media
// token was given lasts while they are connected; others keep it until the
// meeting ends, which closes their seats.
func (s Seat) Inheriting(others []Seat, now time.Time) Seat {
	for _, o := range others {
		s.Admitted = s.Admitted || o.Admits()
		s.OnStage = s.OnStage || o.OnStage && o.OnStageStill(now)
		switch o.Status {
		case In:
			s.Cohost = s.Cohost || o.Cohost
		case Lost, Left:
			s.Cohost = s.Cohost || (o.Cohost && o.Kind != KindToken)
		case LetThrough, Removed, Over, Waiting, Early, Denied, Expired:
		}
	}
	return s
}
