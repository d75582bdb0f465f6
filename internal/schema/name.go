package schema

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// Two invisible characters that names need: one joins the parts of emoji and
// the letters of Indic scripts, the other separates letters in Persian.
const (
	zeroWidthJoiner    = '\u200d'
	zeroWidthNonJoiner = '\u200c'
)

// blackFlag begins the flags of regions such as Scotland: the region follows in characters
// without width, the tags (UTS #51).
const blackFlag = '\U0001f3f4'

// brailleBlank is a braille cell without dots. It is not a space of Unicode.
const brailleBlank = '\u2800'

// PersonName removes invisible characters from a person's name. Characters that
// change the direction of text can make one name look like another; with
// characters without width two names can look the same, or a name can be
// invisible. A name of only such characters becomes empty. The sets are
// Unicode's (UAX #44: Bidi_Control, Default_Ignorable_Code_Point), except for
// the selectors that give emoji their colour.
func PersonName(text string) string {
	return without(text, func(r rune) bool { return isInvisible(r) && !isJoiner(r) })
}

// shown is what people see of a text, to compare it with another one. Joiners and
// selectors count for nothing, because they change nothing about most letters. Tags tell
// one flag from another.
func shown(text string) string {
	inFlag := false
	return without(text, func(r rune) bool {
		inFlag = r == blackFlag || inFlag && isTag(r)
		return !inFlag && (isInvisible(r) || unicode.Is(unicode.Variation_Selector, r))
	})
}

// without removes characters, and what shows nothing at the ends.
func without(text string, remove func(rune) bool) string {
	text = strings.Map(func(r rune) rune {
		if remove(r) {
			return -1
		}
		return r
	}, text)
	return norm.NFC.String(trimUnseen(text)) // what was removed may have stood between a letter and its accent
}

func isInvisible(r rune) bool {
	return unicode.In(r, unicode.Bidi_Control, unicode.Other_Default_Ignorable_Code_Point, unicode.Cf) &&
		!unicode.Is(unicode.Prepended_Concatenation_Mark, r)
}

func isJoiner(r rune) bool { return r == zeroWidthJoiner || r == zeroWidthNonJoiner }

func isTag(r rune) bool { return r >= '\U000e0020' && r <= '\U000e007f' }

// trimUnseen removes what shows nothing at the ends of a name: spaces, joiners with
// nothing to join, and in front also selectors with nothing to vary. At the end these
// belong to the character before them.
func trimUnseen(text string) string {
	unseen := func(r rune) bool {
		return unicode.IsSpace(r) || isJoiner(r) || r == brailleBlank
	}
	text = strings.TrimRightFunc(text, unseen)
	return strings.TrimLeftFunc(text, func(r rune) bool { return unseen(r) || unicode.Is(unicode.Variation_Selector, r) })
}

// ShortPersonName is a person's name as another service says it, in the form in which a
// name in a request is stored: composed, with spaces for control characters, and cut to
// so many characters.
func ShortPersonName(text string, longest int) string {
	text = norm.NFC.String(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, text))
	runes := []rune(PersonName(text))
	return strings.TrimSpace(string(runes[:min(len(runes), longest)]))
}
