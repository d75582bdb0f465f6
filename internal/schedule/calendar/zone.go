package calendar

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// How many years a zone's definition covers.
const (
	// regularFor is how long a yearly rule has to hold before it is written as
	// one: in 28 years every date falls on every day of the week.
	regularFor = 28
	// listedFor is how many years are listed one by one when there is no yearly
	// rule, as in Morocco, where clocks follow the lunar calendar.
	listedFor = 30
	// earliest is the first year that a definition covers, unless a meeting is
	// before it.
	earliest = 1970
	// lastListed is the last year whose changes of the clocks the files of nearly all
	// zones list; rules hold from then on at the latest. Morocco's and Gaza's list more.
	lastListed = 2037
)

// transition is a moment at which clocks are set.
type transition struct {
	at       time.Time
	from, to int    // offsets in seconds
	name     string // of the time that begins, such as CEST
	daylight bool
}

// local returns the moment in local time before the clocks are set, as in VTIMEZONE.
func (t transition) local() time.Time { return t.at.UTC().Add(time.Duration(t.from) * time.Second) }

// timezone writes the definition of a zone from a time on. With a yearly rule it is
// valid for ever. Go tells when clocks are set in future years, but not the rule in
// the zone's file, so the rule is derived from the transitions.
func timezone(l *lines, name string, zone *time.Location, from time.Time) {
	l.add("BEGIN", "VTIMEZONE")
	l.add("TZID", name)
	all := transitions(zone, from)
	listed, rules := split(all)
	for _, group := range slices.Concat(group(listed), rules) {
		if group.list[0].local().Year() <= 9999 { // years have four digits
			observance(l, group)
		}
	}
	l.add("END", "VTIMEZONE")
}

// transitions returns the last transition of a zone before a time, and those of the
// years after it. If there is none before, or it is too old, the first one only gives
// the offset at the beginning.
func transitions(zone *time.Location, from time.Time) []transition {
	at := from.In(zone)
	floor := time.Date(min(earliest, at.Year()-1), time.January, 1, 0, 0, 0, 0, time.UTC)
	first := transition{at: changeBefore(at, floor), daylight: at.IsDST()}
	first.name, first.to = at.Zone()
	if first.at.IsZero() {
		first.from = first.to
		first.at = floor.Add(-time.Duration(first.to) * time.Second) // midnight, local
	} else {
		first.from = offsetAt(first.at.Add(-time.Second))
		first.daylight = seasonal(first.from, first.to, first.at)
	}
	all := []transition{first}
	horizon := at.AddDate(max(listedFor, lastListed-at.Year())+regularFor+1, 0, 0)
	for at := changeAfter(at, horizon); !at.IsZero(); at = changeAfter(at, horizon) {
		next := transition{at: at, from: offsetAt(at.Add(-time.Second))}
		next.name, next.to = at.Zone()
		next.daylight = seasonal(next.from, next.to, at)
		all = append(all, next)
	}
	return all
}

// changeAfter returns the next moment at which clocks are set, or zero when there is
// none before the horizon. For years computed by rule, ZoneBounds also returns the end
// of the year as a bound. In leap years this bound is a day early, and asking for the
// next one from there returns the same bound again.
func changeAfter(at, horizon time.Time) time.Time {
	was := offsetAt(at)
	for at.Before(horizon) {
		_, end := at.ZoneBounds()
		switch {
		case end.IsZero():
			return end
		case !end.After(at):
			end = at.Add(time.Hour)
		}
		if offsetAt(end) != was {
			return end
		}
		at = end
	}
	return time.Time{}
}

// changeBefore returns the last moment at which clocks were set, or zero when there is
// none after the floor.
func changeBefore(at, floor time.Time) time.Time {
	is := offsetAt(at)
	for {
		begin, _ := at.ZoneBounds()
		if begin.IsZero() || begin.Before(floor) {
			return time.Time{}
		}
		at = begin.Add(-time.Second)
		if offsetAt(at) != is {
			return begin
		}
	}
}

func offsetAt(t time.Time) int {
	_, seconds := t.Zone()
	return seconds
}

// seasonal reports whether a transition begins daylight saving time. Ireland and
// Morocco define it the other way round, with an hour less in winter or during
// Ramadan; programs expect DAYLIGHT to have the larger offset.
func seasonal(from, to int, at time.Time) bool {
	return to > from && (at.IsDST() || at.Add(-time.Second).IsDST())
}

// observances is a group of transitions between the same two offsets, with the rule by
// which they continue. Without a rule the list is complete.
type observances struct {
	list []transition
	rule string
}

// split finds where a yearly rule begins. Earlier transitions are listed, or all of
// them if there is no rule.
func split(all []transition) (listed []transition, rules []observances) {
	for i := range all {
		if rules := yearly(all[i:]); rules != nil {
			return all[:i], rules
		}
	}
	return all, nil
}

// yearly derives the rules from transitions: two a year, each between the same
// offsets, on the same day of the week at the same time, within the same seven days of
// the year. It returns nil when some do not follow this, or there are too few to tell.
func yearly(all []transition) []observances {
	if len(all) < 2*regularFor {
		return nil
	}
	var rules []observances
	for half := range 2 {
		var list []transition
		for i := half; i < len(all); i += 2 {
			list = append(list, all[i])
		}
		found := yearlyRules(list)
		if found == nil {
			return nil
		}
		rules = append(rules, found...)
	}
	return rules
}

// yearlyRules derives the rules from one transition of each year. There are two rules
// when its possible days reach into the next month, as in Egypt, on the Friday after
// the last Thursday of October.
func yearlyRules(list []transition) []observances {
	first := list[0].local()
	clock := first.Format("150405")
	months := map[time.Month][]transition{}
	for i, t := range list {
		local := t.local()
		if t.from != list[0].from || t.to != list[0].to || local.Weekday() != first.Weekday() ||
			local.Format("150405") != clock || local.Year() != first.Year()+i {
			return nil
		}
		months[local.Month()] = append(months[local.Month()], t)
	}
	var rules []observances
	days := 0
	for month, of := range months {
		least, most := dayRange(of)
		days += most - least + 1
		rules = append(rules, observances{
			list: of[:1],
			rule: "FREQ=YEARLY;BYMONTH=" + strconv.Itoa(int(month)) + ";" + dayRule(month, least, most, dayName(first.Weekday())),
		})
	}
	if days > 7 {
		return nil
	}
	slices.SortFunc(rules, func(a, b observances) int { return a.list[0].at.Compare(b.list[0].at) })
	return rules
}

// dayRange returns the smallest and the largest day of the month of transitions.
func dayRange(list []transition) (least, most int) {
	least, most = 31, 1
	for _, t := range list {
		least, most = min(least, t.local().Day()), max(most, t.local().Day())
	}
	return least, most
}

// dayRule writes the day of a transition within a range of days of a month: the last
// Sunday, the second one, or the one in the range.
func dayRule(month time.Month, least, most int, day string) string {
	length := time.Date(2023, month+1, 0, 0, 0, 0, 0, time.UTC).Day() // no clock is set at the end of February, so leap years do not matter
	whole := most-least == 6
	switch {
	case whole && most == length:
		return "BYDAY=-1" + day
	case whole && least%7 == 1:
		return "BYDAY=" + strconv.Itoa(least/7+1) + day
	}
	days := make([]string, 0, 7)
	for d := least; d <= most; d++ {
		days = append(days, strconv.Itoa(d))
	}
	return "BYMONTHDAY=" + strings.Join(days, ",") + ";BYDAY=" + day
}

// group puts transitions between the same offsets together.
func group(all []transition) []observances {
	var groups []observances
	for _, t := range all {
		i := slices.IndexFunc(groups, func(g observances) bool {
			have := g.list[0]
			return have.from == t.from && have.to == t.to && have.name == t.name && have.daylight == t.daylight
		})
		if i < 0 {
			groups = append(groups, observances{list: []transition{t}})
			continue
		}
		groups[i].list = append(groups[i].list, t)
	}
	return groups
}

func observance(l *lines, o observances) {
	first := o.list[0]
	kind := "STANDARD"
	if first.daylight {
		kind = "DAYLIGHT"
	}
	l.add("BEGIN", kind)
	l.add("DTSTART", first.local().Format(localForm))
	l.add("TZOFFSETFROM", offset(first.from))
	l.add("TZOFFSETTO", offset(first.to))
	l.addText("TZNAME", first.name)
	if o.rule != "" {
		l.add("RRULE", o.rule)
	}
	for _, t := range o.list[1:] {
		l.add("RDATE", t.local().Format(localForm))
	}
	l.add("END", kind)
}

// offset writes an offset from UTC: +0530, with seconds where it has any.
func offset(seconds int) string {
	sign := "+"
	if seconds < 0 {
		sign, seconds = "-", -seconds
	}
	text := fmt.Sprintf("%s%02d%02d", sign, seconds/3600, seconds/60%60)
	if seconds%60 != 0 {
		text += fmt.Sprintf("%02d", seconds%60)
	}
	return text
}
