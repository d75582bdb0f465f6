package recording

import (
	"strings"
	"testing"
	"time"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/fault"
)

func TestAnAccountHasFiftyDevicesAtMost(t *testing.T) {
	t.Parallel()
	if err := mayRegister(49); err != nil {
		t.Errorf("the 50th: %v", err)
	}
	if err := mayRegister(50); !fault.HasCode(err, api.CodeLimitReached) {
		t.Errorf("the 51st: %v; want limit_reached", err)
	}
}

func TestADeviceIsUsedOnceAnHour(t *testing.T) {
	t.Parallel()
	used := time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC)
	d := Device{LastUsedAt: used}
	if _, due := d.usedAt(used.Add(time.Hour - time.Millisecond)); due {
		t.Error("a use is recorded again before an hour has passed")
	}
	if at, due := d.usedAt(used.Add(time.Hour)); !due || !at.Equal(used.Add(time.Hour)) {
		t.Errorf("after an hour: %v, %v; want that it is recorded", at, due)
	}
}

// devicesOfAll returns devices of people with different roles, in alphabetical order.
func devicesOfAll() []MemberDevice {
	return []MemberDevice{
		{Device: Device{ID: "maker's", AccountID: "maker"}},
		{Device: Device{ID: "admin's", AccountID: "admin"}, managesAll: true},
		{Device: Device{ID: "member's", AccountID: "member"}},
	}
}

func TestOnlyDevicesOfPeopleWhoMaySeeAreMissing(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ visibility, madeBy, want string }{
		{SeenInRoom, "maker", "maker's admin's member's"},
		{SeenInWorkspace, "maker", "maker's admin's member's"},
		{SeenPrivately, "maker", "maker's admin's"},
		{SeenPrivately, "", "admin's"}, // made by a host without an account
	} {
		r := Recording{WorkspaceID: "w", Visibility: c.visibility, MadeBy: c.madeBy}
		var got []string
		for _, d := range r.openedOn(devicesOfAll()) {
			got = append(got, d.ID)
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s, made by %q: %v; want %s", c.visibility, c.madeBy, got, c.want)
		}
	}
}

func TestOneWrapForEachMissingDevice(t *testing.T) {
	t.Parallel()
	got := forDevices([]Wrap{
		{DeviceID: "maker's", Ciphertext: "first"}, {DeviceID: "gone"}, {DeviceID: "maker's", Ciphertext: "second"}, {DeviceID: "member's"},
	}, devicesOfAll())
	if len(got) != 2 || got[0].Ciphertext != "first" || got[1].DeviceID != "member's" {
		t.Errorf("got %+v; want the first one for the maker's device, and the member's", got)
	}
}

func TestOnlyEndToEndRecordingsTakeWraps(t *testing.T) {
	t.Parallel()
	if err := (Recording{Protection: EndToEnd}).takesWraps(); err != nil {
		t.Errorf("end_to_end: %v", err)
	}
	if err := (Recording{Protection: Workspace}).takesWraps(); !fault.HasCode(err, api.CodeParameterInvalid) {
		t.Errorf("workspace: %v; want parameter_invalid", err)
	}
}

// A refusal names every wrap without a point of the curve, beside what the schema names.
func TestAllMalformedWrapsAreNamed(t *testing.T) {
	t.Parallel()
	f, _ := fault.As(checkWraps([]Wrap{{Enc: "x"}, {Enc: "x"}, {Enc: "x"}}, func(param string) bool { return param == "wraps[1].enc" }))
	if f == nil || len(f.Fields) != 2 || f.Fields[0].Param != "wraps[0].enc" || f.Fields[1].Param != "wraps[2].enc" {
		t.Errorf("got %+v; want enc of the first and the third", f)
	}
}
