package room

import (
	"reflect"
	"strings"
	"testing"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/auth"
	"github.com/conclave-rooms/conclave/internal/fault"
	"github.com/conclave-rooms/conclave/internal/schema"
)

// defaults are the settings of a room for which none were given.
func defaults(t *testing.T) api.RoomSettings {
	t.Helper()
	s, err := NewSettings(TypeMeeting, schema.Filled(api.RoomSettingsUpdate{}))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestSettingsHaveDefaults(t *testing.T) {
	t.Parallel()
	want := api.RoomSettings{
		Access: "link", Admission: "direct", MuteOnEntry: false, CameraOffOnEntry: false, ScreenShare: "everyone",
		Reactions: true, Chat: true, Encryption: "standard", Recordings: "workspace", BeforeHost: "join", Type: TypeMeeting,
	}
	if got := defaults(t); got != want {
		t.Errorf("a room has the settings %+v, want %+v", got, want)
	}
	field, _ := reflect.TypeFor[api.RoomSettingsUpdate]().FieldByName("Recordings")
	if documented := field.Tag.Get("defaultDoc"); documented != want.Recordings {
		t.Errorf("the documented default of recordings is %q, want %q", documented, want.Recordings)
	}
}

// Encryption and recordings for every state and every request.
func TestStrictRoomsKeepTheirRecordingsEndToEnd(t *testing.T) {
	t.Parallel()
	standard, strict := defaults(t), defaults(t)
	strict.Encryption, strict.Recordings = "strict", "end_to_end"
	kept := standard
	kept.Recordings = "end_to_end"
	for _, c := range []struct {
		name                   string
		from                   api.RoomSettings
		encryption, recordings string // "" is absent
		want                   string // encryption and recordings, or "refused"
	}{
		{"an empty update changes nothing", standard, "", "", "standard workspace"},
		{"standard with end_to_end recordings", standard, "", "end_to_end", "standard end_to_end"},
		{"becoming strict changes the recordings", standard, "strict", "", "strict end_to_end"},
		{"becoming strict with both fields", standard, "strict", "end_to_end", "strict end_to_end"},
		{"strict with workspace recordings", standard, "strict", "workspace", "refused"},
		{"workspace recordings in a strict room", strict, "", "workspace", "refused"},
		{"strict, unchanged", strict, "strict", "end_to_end", "strict end_to_end"},
		{"back to standard keeps end_to_end", strict, "standard", "", "standard end_to_end"},
		{"back to standard with workspace recordings", strict, "standard", "workspace", "standard workspace"},
		{"workspace again after that", kept, "", "workspace", "standard workspace"},
	} {
		var u api.RoomSettingsUpdate
		if c.encryption != "" {
			u.Encryption = api.Set(c.encryption)
		}
		if c.recordings != "" {
			u.Recordings = api.Set(c.recordings)
		}
		got, err := merge(c.from, u)
		result := got.Encryption + " " + got.Recordings
		if f, ok := fault.As(err); ok && f.Param == "settings.recordings" && f.Code == api.CodeParameterInvalid {
			result = "refused"
		} else if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		if result != c.want {
			t.Errorf("%s: %s, want %s", c.name, result, c.want)
		}
	}
}

func TestMergeTakesEveryKeyAndOnlyThose(t *testing.T) {
	t.Parallel()
	got, err := merge(defaults(t), api.RoomSettingsUpdate{
		Access: api.Set("members"), Admission: api.Set("knock"), MuteOnEntry: api.Set(true), CameraOffOnEntry: api.Set(true),
		ScreenShare: api.Set("hosts"), Reactions: api.Set(false), Chat: api.Set(false), Recordings: api.Set("end_to_end"), BeforeHost: api.Set("wait"),
	})
	want := api.RoomSettings{
		Access: "members", Admission: "knock", MuteOnEntry: true, CameraOffOnEntry: true, ScreenShare: "hosts",
		Encryption: "standard", Recordings: "end_to_end", BeforeHost: "wait", Type: "meeting",
	}
	if err != nil || got != want {
		t.Errorf("merge = %+v, %v; want %+v", got, err, want)
	}
}

func TestChangesNamesWhatChangedWithEarlierValues(t *testing.T) {
	t.Parallel()
	text := "old"
	before := Room{Name: "A", Description: &text, Settings: defaults(t)}
	after, err := apply(before, api.RoomUpdate{
		Name: api.Set("B"), Description: api.Clear[string](), Locked: api.Set(true),
		Settings: api.RoomSettingsUpdate{Chat: api.Set(false), Access: api.Set("link")},
	})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]any{"name": "A", "description": &text, "locked": false, "settings": map[string]any{"chat": true}}
	if got := changes(before, after); !reflect.DeepEqual(got, want) {
		t.Errorf("changes = %v, want %v", got, want)
	}
	if got := changes(after, after); len(got) != 0 {
		t.Errorf("changes of a room with itself = %v", got)
	}
}

func TestAnEmptyTextClearsTheDescription(t *testing.T) {
	t.Parallel()
	text := "old"
	for _, u := range []api.Opt[string]{api.Set(""), api.Clear[string]()} {
		got, err := apply(Room{Description: &text, Settings: defaults(t)}, api.RoomUpdate{Description: u})
		if err != nil || got.Description != nil {
			t.Errorf("description after %+v: %v, %v", u, got.Description, err)
		}
	}
}

func TestManagedBy(t *testing.T) {
	t.Parallel()
	r := Room{WorkspaceID: "w", CreatedBy: "maker"}
	for _, c := range []struct {
		who  auth.Principal
		want bool
	}{
		{auth.Principal{WorkspaceID: "w", AccountID: "maker"}, true},
		{auth.Principal{WorkspaceID: "w", AccountID: "admin", ManagesAll: true}, true},
		{auth.Principal{WorkspaceID: "w", AccountID: "other"}, false},
		{auth.Principal{WorkspaceID: "x", AccountID: "maker", ManagesAll: true}, false},
		{auth.Principal{}, false},
	} {
		if got := r.ManagedBy(c.who); got != c.want {
			t.Errorf("managed by %+v: %v, want %v", c.who, got, c.want)
		}
	}
}

func TestCodesAreReadableAloud(t *testing.T) {
	t.Parallel()
	code := newCode()
	if len(code) != 12 || code[3] != '-' || code[8] != '-' || strings.ContainsAny(code, "ilo") {
		t.Errorf("code %q is not like abc-defg-hjk", code)
	}
}
