// Package calendartest imitates Google Calendar and Microsoft Graph, for tests
// that write to them: consent, tokens, and one calendar each.
//
// Every field of an event has to be one that the provider documents as
// writable, in the documented form; anything else fails the test. The imitations
// were written from the documentation. Nobody has compared them with the
// services themselves.
package calendartest
