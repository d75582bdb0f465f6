// Package feed gives people their scheduled meetings as iCalendar text: all of them
// at a secret address to which a calendar program can subscribe, or a single one as a
// file.
//
// A feed belongs to an account and shows the meetings of all workspaces of which it is
// a member, from thirty days ago to a year ahead. Its address contains a secret, because
// calendar programs cannot sign in. The secret is stored twice: hashed, to find the feed,
// and sealed, to show the address again. After a reset the old address no longer works.
//
// The entries come from package calendar, which also writes them to connected calendars.
// A person needs only a feed or a connected calendar.
package feed
