package rest

import (
	"strings"
	"unicode"
)

// Two invisible characters that names need: one joins what makes up an emoji
// and letters of Indic scripts, the other keeps letters of Persian apart.
const (
	zeroWidthJoiner    = '\u200d'
	zeroWidthNonJoiner = '\u200c'
)

// PersonName takes out of what somebody is called all that shows nothing by
// itself: with characters that turn the direction of text around one name can
// be made to look like another, with ones of no width two people can have what
// looks like the same, or somebody none at all. A name made of nothing else is
// empty. The sets are Unicode's (UAX #44: Bidi_Control,
// Default_Ignorable_Code_Point); the selectors that make an emoji colourful
// are not among them.
func PersonName(text string) string {
	text = strings.Map(func(r rune) rune {
		switch {
		case r == zeroWidthJoiner, r == zeroWidthNonJoiner, unicode.Is(unicode.Prepended_Concatenation_Mark, r):
			return r
		case unicode.In(r, unicode.Bidi_Control, unicode.Other_Default_Ignorable_Code_Point, unicode.Cf):
			return -1
		default:
			return r
		}
	}, text)
	const nothingBetween = string(zeroWidthJoiner) + string(zeroWidthNonJoiner)
	return strings.TrimFunc(text, func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune(nothingBetween, r) })
}
