package schema

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Two invisible characters that names need: one joins the parts of emoji and
// the letters of Indic scripts, the other separates letters in Persian.
const (
	zeroWidthJoiner    = '\u200d'
	zeroWidthNonJoiner = '\u200c'
)

// flags are the flags of England, Scotland and Wales: a black flag and the region in
// characters without width, the tags (UTS #51). Unicode recommends no other such flags
// (RGI_Emoji_Tag_Sequence), so anything else with tags looks like what it is without them.
var flags = []string{flag("gbeng"), flag("gbsct"), flag("gbwls")} //nolint:gochecknoglobals // a constant

func flag(region string) string {
	const black, firstTag, lastTag = '\U0001f3f4', '\U000e0000', '\U000e007f'
	tags := []rune{black}
	for _, letter := range region {
		tags = append(tags, firstTag+letter)
	}
	return string(append(tags, lastTag))
}

// brailleBlank is a braille cell without dots. It is not a space of Unicode.
const brailleBlank = '\u2800'

// PersonName removes invisible characters from a person's name. Characters that
// change the direction of text can make one name look like another; with
// characters without width two names can look the same, or a name can be
// invisible. A name of only such characters becomes empty. The sets are
// Unicode's (UAX #44: Bidi_Control, Default_Ignorable_Code_Point), except for
// the selectors that give emoji their colour, and the tags of the three flags.
func PersonName(text string) string {
	return without(text, func(r rune) bool { return isInvisible(r) && !isJoiner(r) })
}

// shown is what people see of a text, to compare it with another one. Selectors count
// for nothing, because they change nothing about most letters. Joiners count only where
// they can change what is seen.
func shown(text string) string {
	text = without(text, func(r rune) bool {
		return isInvisible(r) && !isJoiner(r) || unicode.Is(unicode.Variation_Selector, r)
	})
	var kept strings.Builder
	var base rune // the last character that belongs to a script, or to none
	for at, r := range text {
		if isJoiner(r) {
			next, _ := utf8.DecodeRuneInString(text[at+utf8.RuneLen(r):])
			if isUnseen(next) || !takesJoiner(base) { // of several joiners, the last one counts
				continue
			}
		} else if !unicode.Is(unicode.Inherited, r) {
			base = r
		}
		kept.WriteRune(r)
	}
	return norm.NFC.String(kept.String())
}

// takesJoiner says whether a joiner behind a character can change what is seen: behind
// emoji, and behind letters of scripts such as Arabic and Devanagari, but not behind those of
// the scripts named here. Without a difference, two texts that look the same would be
// two answers of a poll.
func takesJoiner(r rune) bool {
	if unicode.In(r, unicode.So, unicode.Sk) {
		return true
	}
	return unicode.In(r, unicode.L, unicode.M) && !unicode.In(r, unicode.Common,
		unicode.Latin, unicode.Greek, unicode.Cyrillic, unicode.Armenian, unicode.Georgian, unicode.Hebrew, unicode.Ethiopic,
		unicode.Thai, unicode.Lao, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Bopomofo, unicode.Hangul)
}

// without removes characters, and what shows nothing at the ends. It keeps the flags.
func without(text string, remove func(rune) bool) string {
	var kept strings.Builder
	for text != "" {
		if at := slices.IndexFunc(flags, func(f string) bool { return strings.HasPrefix(text, f) }); at >= 0 {
			kept.WriteString(flags[at])
			text = text[len(flags[at]):]
			continue
		}
		r, size := utf8.DecodeRuneInString(text)
		if !remove(r) {
			kept.WriteRune(r)
		}
		text = text[size:]
	}
	return norm.NFC.String(trimUnseen(kept.String())) // what was removed may have stood between a letter and its accent
}

func isInvisible(r rune) bool {
	return unicode.In(r, unicode.Bidi_Control, unicode.Other_Default_Ignorable_Code_Point, unicode.Cf) &&
		!unicode.Is(unicode.Prepended_Concatenation_Mark, r)
}

func isJoiner(r rune) bool { return r == zeroWidthJoiner || r == zeroWidthNonJoiner }

// trimUnseen removes what shows nothing at the ends of a name: spaces, joiners with
// nothing to join, and in front also selectors with nothing to vary. At the end these
// belong to the character before them.
func trimUnseen(text string) string {
	text = strings.TrimRightFunc(text, isUnseen)
	return strings.TrimLeftFunc(text, func(r rune) bool { return isUnseen(r) || unicode.Is(unicode.Variation_Selector, r) })
}

// isUnseen says whether a character shows nothing by itself. PersonName and shown have
// removed the other characters without width before.
func isUnseen(r rune) bool { return unicode.IsSpace(r) || isJoiner(r) || r == brailleBlank }

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
	return PersonName(string(runes[:min(len(runes), longest)])) // a flag or a joined emoji may have been cut
}
