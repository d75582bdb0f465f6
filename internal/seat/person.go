package seat

import "strings"

// Person is the part of an identity before its last dot: the same on every
// device of one person.
func Person(identity string) string {
	if i := strings.LastIndexByte(identity, '.'); i >= 0 {
		return identity[:i]
	}
	return identity
}

// canName says whether a text can be an identity, or the person before its dot.
// Other texts are never sent to the database, because PostgreSQL refuses a text
// with a zero byte, and a text that is not UTF-8.
func canName(text string) bool {
	return text != "" && !strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r > '~' })
}

// userPrefix begins the identity of an account; its id follows, up to the dot.
const userPrefix = "user_"

// UserPerson is the participant id of an account: the same on every device.
func UserPerson(accountID string) string { return userPrefix + accountID }

// Account is the id of the account that has the seat; "" for people who
// came without one.
func (s Seat) Account() string {
	if s.Kind != KindUser {
		return ""
	}
	return strings.TrimPrefix(Person(s.Identity), userPrefix)
}
