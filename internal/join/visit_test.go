package join

import (
	"reflect"
	"testing"

	"github.com/conclave-rooms/conclave/api"
)

// A person has the choice of the same pictures, whichever way they come in.
func TestEveryWayInHasTheSameAvatars(t *testing.T) {
	t.Parallel()
	want := ""
	for _, way := range []reflect.Type{reflect.TypeFor[api.TokenCreate](), reflect.TypeFor[api.JoinLinkCreate](), reflect.TypeFor[JoinRequest]()} {
		field, _ := way.FieldByName("Avatar")
		got := field.Tag.Get("enum")
		if want == "" {
			want = got
		}
		if got == "" || got != want {
			t.Errorf("%s has the avatars %q, want %q", way.Name(), got, want)
		}
	}
}
