package recording

import (
	"testing"
	"time"

	"github.com/conclave-rooms/conclave/api"
	"github.com/conclave-rooms/conclave/internal/auth"
	"github.com/conclave-rooms/conclave/internal/fault"
	"github.com/conclave-rooms/conclave/internal/seat"
)

var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

// at returns a time in seconds after noon.
func at(seconds int) time.Time { return noon.Add(time.Duration(seconds) * time.Second) }

func counted(n int) *int { return &n }

// begun returns a recording that began at noon in the main room.
func begun() Recording {
	return Recording{Status: Running, MeetingID: "meeting", Recorder: "grace", StartedAt: noon, HeardAt: noon}
}

// seatWith returns the seat of the recording device.
func seatWith(change func(*seat.Seat)) *seat.Seat {
	s := seat.Seat{Holder: seat.Holder{Identity: "grace", Role: api.RoleHost}, Status: seat.In, MeetingID: "meeting"}
	change(&s)
	return &s
}

func here(*seat.Seat) {}

// A running recording ends, or goes on, depending on its device.
func TestARecordingEndsWithItsDevice(t *testing.T) {
	t.Parallel()
	status := func(s seat.Status) *seat.Seat { return seatWith(func(to *seat.Seat) { to.Status = s }) }
	for _, c := range []struct {
		name  string
		seat  *seat.Seat
		heard int
		now   int
		want  string
		ended time.Time // zero: it goes on
	}{
		{"the device records", seatWith(here), 0, 299, Running, time.Time{}},
		{"the device is silent for five minutes", seatWith(here), 0, 300, Processing, at(0)},
		{"the device was heard since", seatWith(here), 10, 309, Running, time.Time{}},
		{"the device lost its connection", status(seat.Lost), 0, 200, Running, time.Time{}},
		{"the device left", status(seat.Left), 0, 60, Processing, at(60)},
		{"the device was removed", status(seat.Removed), 0, 60, Ready, at(60)},
		{"the device was removed from another meeting", seatWith(func(s *seat.Seat) { s.Status, s.MeetingID = seat.Removed, "another" }), 0, 60, Processing, at(60)},
		{"the meeting is over", status(seat.Over), 0, 60, Processing, at(60)},
		{"the device joins again", status(seat.LetThrough), 0, 60, Processing, at(60)},
		{"the device's seat was deleted", nil, 0, 60, Processing, at(60)},
		{"the device is in another meeting", seatWith(func(s *seat.Seat) { s.MeetingID = "another" }), 0, 60, Processing, at(60)},
		{"the person is no longer a host", seatWith(func(s *seat.Seat) { s.Role = api.RoleParticipant }), 0, 60, Processing, at(60)},
		{"the device belongs in another media room", seatWith(func(s *seat.Seat) { s.BreakoutID = "breakout" }), 0, 60, Processing, at(60)},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := begun()
			r.Parts, r.HeardAt = 1, at(c.heard)
			got := r.checked(c.seat, at(c.now))
			if got.Status != c.want || !got.EndedAt.Equal(c.ended) {
				t.Errorf("it is %s, ended %s; want %s, %s", got.Status, got.EndedAt, c.want, c.ended)
			}
		})
	}
}

// A recording that has ended becomes ready or failed.
func TestARecordingIsReadyWhenNothingMoreArrives(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name     string
		parts    int
		expected *int
		ended    int
		heard    int
		now      int
		want     string
	}{
		{"parts may still arrive", 2, nil, 0, 0, 299, Processing},
		{"five silent minutes after its end", 2, nil, 0, 0, 300, Ready},
		{"five silent minutes, and no part ever came", 0, nil, 0, 0, 300, Failed},
		{"the device was heard since", 2, nil, 0, 100, 399, Processing},
		{"five silent minutes after it was heard", 2, nil, 0, 100, 400, Ready},
		{"the device was heard last before the end", 2, nil, 100, 0, 399, Processing},
		{"all parts are there", 2, counted(2), 0, 0, 0, Ready},
		{"one part is missing", 2, counted(3), 0, 0, 299, Processing},
		{"one part is missing for too long", 2, counted(3), 0, 0, 300, Ready},
		{"there are no parts", 0, counted(0), 0, 0, 0, Failed},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := begun()
			r.Parts, r.Expected, r.HeardAt = c.parts, c.expected, at(c.heard)
			r = r.ended(at(c.ended))
			if got := r.settled(at(c.now)); got.Status != c.want {
				t.Errorf("it is %s, want %s", got.Status, c.want)
			}
		})
	}
}

// A device that was silent for five minutes has five more to send what it has recorded
// meanwhile.
func TestASilentDeviceMaySendTheRest(t *testing.T) {
	t.Parallel()
	r := begun()
	r.Parts = 1
	r = r.checked(seatWith(here), at(300))
	if got := r.checked(seatWith(here), at(599)); got.Status != Processing {
		t.Errorf("a second before ten minutes it is %s", got.Status)
	}
	if got := r.checked(seatWith(here), at(600)); got.Status != Ready || !got.EndedAt.Equal(at(0)) {
		t.Errorf("after ten minutes it is %s, ended %s; want ready, ended with the last request", got.Status, got.EndedAt)
	}
	if _, err := r.expects(Part{Number: 1, Ends: 6 * time.Minute}, nil); err != nil {
		t.Errorf("a part of the silent time: %v", err)
	}
}

// A device that keeps sending requests holds its recording open for at most a day.
func TestProcessingEndsAfterADay(t *testing.T) {
	t.Parallel()
	const day = 24 * 60 * 60
	r := begun()
	r.Parts = 1
	r = r.ended(at(0))
	r.HeardAt = at(day - 1)
	if got := r.settled(at(day - 1)); got.Status != Processing {
		t.Errorf("a second before a day has passed it is %s", got.Status)
	}
	if got := r.settled(at(day)); got.Status != Ready {
		t.Errorf("after a day it is %s", got.Status)
	}
}

// A recording has at most mostParts parts. A recording that has more already stays as
// it is.
func TestARecordingHasALimitOfParts(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		stored int
		said   *int
		want   string
	}{
		{"the last part", mostParts - 1, nil, ""},
		{"a part too many", mostParts, nil, api.CodeLimitReached},
		{"a part more than the device announced", mostParts, counted(mostParts), api.CodePartOutOfOrder},
		{"a part of a recording that has too many", mostParts + 5, nil, api.CodeLimitReached},
	} {
		r := begun()
		r.Parts, r.Expected = c.stored, c.said
		_, err := r.expects(Part{Number: c.stored, SHA256: "new"}, nil)
		if c.want == "" && err != nil || c.want != "" && !fault.HasCode(err, c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}

// A device that has made more parts than a recording may have sends the first of them.
func TestADeviceWithTooManyPartsSendsTheFirst(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ stored, said, want int }{
		{mostParts - 2, mostParts, mostParts},
		{mostParts - 2, mostParts + 1, mostParts},
		{mostParts - 2, 1 << 40, mostParts},
		{mostParts + 5, mostParts + 5, mostParts + 5}, // from before there was a limit
		{mostParts + 5, mostParts + 9, mostParts + 5},
	} {
		r := begun()
		r.Parts = c.stored
		r, err := r.finished(c.said, at(10))
		if err != nil || *r.Expected != c.want {
			t.Errorf("with %d stored, it finished with %d: %v, %v; want %d", c.stored, c.said, r.Expected, err, c.want)
			continue
		}
		for r.Parts < c.want {
			r = r.with(Part{Number: r.Parts}).settled(at(11))
		}
		if again, err := r.finished(c.said, at(12)); err != nil || r.Status != Ready || again.Status != Ready {
			t.Errorf("with %d stored, after it finished with %d it is %s; again: %v", c.stored, c.said, r.Status, err)
		}
	}
}

// When a host removes the device that sends the remaining parts, no more are expected.
func TestARemovedDeviceSendsNothingMore(t *testing.T) {
	t.Parallel()
	r := begun()
	r.Parts = 1
	r = r.ended(at(10)).checked(seatWith(func(s *seat.Seat) { s.Status = seat.Removed }), at(20))
	if r.Status != Ready || !r.EndedAt.Equal(at(10)) {
		t.Errorf("it is %s, ended %s; want ready, ended as before", r.Status, r.EndedAt)
	}
}

// A part that was recorded after the end of the recording is refused.
func TestPartsEndWithTheRecording(t *testing.T) {
	t.Parallel()
	r := begun()
	long := Part{Ends: 71 * time.Second}
	if _, err := r.expects(long, nil); err != nil {
		t.Errorf("while it goes on: %v", err)
	}
	r = r.ended(at(10))
	if _, err := r.expects(long, nil); !codeIs(err, api.CodeParameterInvalid) {
		t.Errorf("61 seconds beyond the end: %v; want parameter_invalid", err)
	}
	if _, err := r.expects(Part{Ends: 70 * time.Second}, nil); err != nil {
		t.Errorf("60 seconds beyond the end: %v", err)
	}
}

// A running recording is never settled, and one that is over never changes.
func TestOnlyWhatHasEndedIsSettled(t *testing.T) {
	t.Parallel()
	for _, status := range []string{Running, Ready, Failed} {
		r := begun()
		r.Status, r.Expected = status, counted(0)
		if got := r.settled(at(10_000)); got.Status != status {
			t.Errorf("%s becomes %s", status, got.Status)
		}
	}
	r := begun().complete(at(5))
	if again := r.ended(at(9)).complete(at(9)); again.Status != Failed || !again.EndedAt.Equal(at(5)) {
		t.Errorf("to end it again makes it %s, ended %s", again.Status, again.EndedAt)
	}
}

// Which devices may begin another recording while one runs.
func TestWhichDevicesMayTakeOverARecording(t *testing.T) {
	t.Parallel()
	grace, hedy := seat.Seat{Holder: seat.Holder{Identity: "grace"}}, seat.Seat{Holder: seat.Holder{Identity: "hedy"}}
	for _, c := range []struct {
		name     string
		device   seat.Seat
		recorder *seat.Seat
		now      int
		want     bool
	}{
		{"another device", hedy, seatWith(here), 29, false},
		{"another one after 30 silent seconds", hedy, seatWith(here), 30, true},
		{"another one when the device is not connected", hedy, seatWith(func(s *seat.Seat) { s.Status = seat.Lost }), 0, true},
		{"another one when the device has left", hedy, seatWith(func(s *seat.Seat) { s.Status = seat.Left }), 0, true},
		{"another one when the device was sent elsewhere", hedy, seatWith(func(s *seat.Seat) { s.BreakoutID = "breakout" }), 0, true},
		{"another one when the device has no seat", hedy, nil, 0, true},
		{"the same device", grace, seatWith(here), 0, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if got := begun().mayTakeOver(c.device, c.recorder, at(c.now)); got != c.want {
				t.Errorf("may take over: %v, want %v", got, c.want)
			}
		})
	}
}

// Who sees a recording, and who may change it.
func TestWhoSeesAndManagesARecording(t *testing.T) {
	t.Parallel()
	key := auth.Principal{WorkspaceID: "acme", AccountID: "olga"}
	member := func(account string) auth.Principal {
		return auth.Principal{WorkspaceID: "acme", AccountID: account, Session: true}
	}
	owner := member("olga")
	owner.ManagesAll = true
	foreign := owner
	foreign.WorkspaceID = "other"
	for _, c := range []struct {
		name           string
		who            auth.Principal
		visibility     string
		madeBy         string
		seen, directed bool
	}{
		{"a key", key, SeenPrivately, "ada", true, true},
		{"a key, of a host without an account", key, SeenPrivately, "", true, true},
		{"the maker", member("ada"), SeenPrivately, "ada", true, true},
		{"an owner", owner, SeenPrivately, "ada", true, true},
		{"an owner, of a host without an account", owner, SeenPrivately, "", true, true},
		{"another member, for the room", member("bob"), SeenInRoom, "ada", true, false},
		{"another member, for the workspace", member("bob"), SeenInWorkspace, "ada", true, false},
		{"another member, privately", member("bob"), SeenPrivately, "ada", false, false},
		{"a member, of a host without an account", member("bob"), SeenInRoom, "", true, false},
		{"a member, of a host without an account, privately", member("bob"), SeenPrivately, "", false, false},
		{"a principal without an account", member(""), SeenPrivately, "", false, false},
		{"the owner of another workspace", foreign, SeenInWorkspace, "ada", false, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := Recording{WorkspaceID: "acme", Visibility: c.visibility, MadeBy: c.madeBy}
			if seen, directed := r.SeenBy(c.who), r.managedBy(c.who); seen != c.seen || directed != c.directed {
				t.Errorf("sees it: %v, directs it: %v; want %v, %v", seen, directed, c.seen, c.directed)
			}
		})
	}
}

// Parts are accepted only in order.
func TestPartsComeInTheirOrder(t *testing.T) {
	t.Parallel()
	same, other := &Part{SHA256: "a"}, &Part{SHA256: "b"}
	for _, c := range []struct {
		name     string
		status   string
		deleted  bool
		expected *int
		number   int
		before   *Part
		known    bool
		code     string
	}{
		{"the next part", Running, false, nil, 2, nil, false, ""},
		{"the next part after the end", Processing, false, nil, 2, nil, false, ""},
		{"the last part", Processing, false, counted(3), 2, nil, false, ""},
		{"a part after the last", Processing, false, counted(2), 2, nil, false, api.CodePartOutOfOrder},
		{"a part that leaves a gap", Running, false, nil, 3, nil, false, api.CodePartOutOfOrder},
		{"a part that is stored", Running, false, nil, 1, same, true, ""},
		{"another part in its place", Running, false, nil, 1, other, false, api.CodePartConflict},
		{"the next part, when the recording is ready", Ready, false, nil, 2, nil, false, api.CodeRecordingOver},
		{"the next part, when the recording failed", Failed, false, nil, 2, nil, false, api.CodeRecordingOver},
		{"a part that is stored, when the recording is ready", Ready, false, nil, 1, same, true, ""},
		{"another part in its place, when the recording is ready", Ready, false, nil, 1, other, false, api.CodeRecordingOver},
		{"a part that is stored, when the recording was deleted", Ready, true, nil, 1, same, false, api.CodeRecordingOver},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := Recording{Status: c.status, Parts: 2, Expected: c.expected}
			if c.deleted {
				r.DeletedAt = noon
			}
			known, err := r.expects(Part{Number: c.number, SHA256: "a"}, c.before)
			if known != c.known || !codeIs(err, c.code) {
				t.Errorf("known %v, %v; want %v, %q", known, err, c.known, c.code)
			}
		})
	}
}

// A quota counts to its last byte.
func TestQuotas(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name                  string
		q                     quota
		has, index, all, more int64
		refused               bool
	}{
		{"no limit", quota{}, 1 << 50, 1 << 20, 1 << 50, 1 << 20, false},
		{"the last byte of a recording", quota{recording: 100}, 60, 0, 0, 40, false},
		{"a byte more than a recording may have", quota{recording: 100}, 60, 0, 0, 41, true},
		{"the last byte of a recording with an index", quota{recording: 100}, 50, 10, 0, 40, false},
		{"a byte more than a recording with an index may have", quota{recording: 100}, 50, 10, 0, 41, true},
		{"the last byte of a workspace", quota{workspace: 100}, 0, 0, 60, 40, false},
		{"a byte more than a workspace may have", quota{workspace: 100}, 0, 0, 60, 41, true},
	} {
		err := c.q.allows(Recording{Bytes: c.has, IndexBytes: c.index}, c.all, c.more)
		if (err != nil) != c.refused || err != nil && !codeIs(err, api.CodeLimitReached) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

func codeIs(err error, code string) bool {
	if code == "" {
		return err == nil
	}
	return fault.HasCode(err, code)
}
