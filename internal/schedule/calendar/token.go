package calendar

import "time"

// Token is a consent that a person gave at Google or Microsoft. It opens
// the calendar to everybody who has it, so it is kept sealed.
type Token struct {
	Access  string    // good until Expires
	Refresh string    // gives new access until the person takes the consent back
	Expires time.Time // zero when the provider did not say
}

// earlyBy is how long before its end an access is renewed, so that it does not
// end on the way.
const earlyBy = time.Minute

// fresh says whether the access is good for a request now. One that was just
// refused is not.
func (t Token) fresh(now time.Time, refused string) bool {
	return t.Access != "" && t.Access != refused && (t.Expires.IsZero() || now.Add(earlyBy).Before(t.Expires))
}
