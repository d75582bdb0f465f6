// Package feed gives people their scheduled meetings as iCalendar text: all of
// them under a secret address that a calendar program subscribes to, and one of
// them as a file.
//
// A feed belongs to an account and shows the meetings of every workspace of
// which it is a member, from thirty days ago to a year ahead. Its address holds
// a secret, because calendar programs cannot sign in. The secret is stored twice:
// hashed, to find the feed by, and sealed, to show the address again. Resetting
// the address makes the old one unknown.
//
// Entries are those of package calendar, which also writes them to connected
// calendars; a person needs one or the other.
package feed
