package calendar

import "time"

// Token is a consent that a person gave at Google or Microsoft. Everybody who has it
// can use the calendar, so it is stored sealed.
type Token struct {
	Access  string    // valid until Expires
	Refresh string    // gets new access tokens until the person withdraws the consent
	Expires time.Time // zero when the provider did not say
}

// earlyBy is how long before its end an access token is renewed, so that it does not
// expire during a request.
const earlyBy = time.Minute

// fresh reports whether the access token can be used now. It returns false for one
// that was just refused.
func (t Token) fresh(now time.Time, refused string) bool {
	return t.Access != "" && t.Access != refused && (t.Expires.IsZero() || now.Add(earlyBy).Before(t.Expires))
}
