package api

import (
	"reflect"
	"testing"
)

// A field has the same limits in the request that makes an object and in the one
// that changes it.
func TestAChangeHasTheLimitsOfANewObject(t *testing.T) {
	t.Parallel()
	for _, pair := range [][2]reflect.Type{
		{reflect.TypeFor[RoomCreate](), reflect.TypeFor[RoomUpdate]()},
		{reflect.TypeFor[MeetingCreate](), reflect.TypeFor[MeetingUpdate]()},
		{reflect.TypeFor[WebhookEndpointCreate](), reflect.TypeFor[WebhookEndpointUpdate]()},
	} {
		made, changed, shared := pair[0], pair[1], 0
		for i := range made.NumField() {
			field := made.Field(i)
			same, ok := changed.FieldByName(field.Name)
			if !ok {
				continue
			}
			shared++
			for _, limit := range []string{"minLength", "maxLength", "minItems", "maxItems", "minimum", "maximum", "enum", "format", "pattern", "multiline", "uniqueItems", "nullable"} {
				if one, other := field.Tag.Get(limit), same.Tag.Get(limit); one != other {
					t.Errorf("%s of %s: %q in %s, %q in %s", limit, field.Name, one, made.Name(), other, changed.Name())
				}
			}
		}
		if shared < 2 {
			t.Errorf("%s and %s share %d fields, which cannot be all", made.Name(), changed.Name(), shared)
		}
	}
}
