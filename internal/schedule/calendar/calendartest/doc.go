// Package calendartest imitates Google Calendar and Microsoft Graph, for tests
// that write to them: consent, tokens, and one calendar each.
//
// A test fails if it writes a field of an event that the provider does not document
// as writable, or in another form. The imitations were written from the documentation
// and have not been compared with the real services.
package calendartest
