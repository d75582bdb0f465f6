package livekit_test

import (
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/conclave-rooms/conclave/internal/media"
	"github.com/conclave-rooms/conclave/internal/media/mediaclient"
	"github.com/conclave-rooms/conclave/internal/media/mediatest"
)

// A modified client sends messages that the media server cannot read and warns about.
// The log gets a few of these warnings and counts of the rest, and nobody else notices.
func TestAFloodOfUnreadableMessagesMakesFewLogLines(t *testing.T) {
	t.Parallel()
	o := newOwn(t, nil)
	if _, err := o.EnsureRoom(o.ctx, "r"); err != nil {
		t.Fatal(err)
	}
	join := func(name string) *mediaclient.Participant {
		token, err := o.MintToken((&place{room: "r"}).grant(name))
		check(t, err)
		return mediatest.Join(t, mediaclient.Options{URL: o.Upstream(), Token: token, Passphrase: "x"})
	}
	ada, ben, eve := join("ada"), join("ben"), join("eve")
	if _, err := ada.Publish(o.ctx, media.Microphone); err != nil {
		t.Fatal(err)
	}
	check(t, ben.WaitFrames(o.ctx, "ada", media.Microphone, 10))
	const sent = 10_000
	began := time.Now()
	for range sent {
		check(t, eve.SendPacket(o.ctx, []byte{0xff}))       // no message at all
		check(t, eve.SendPacket(o.ctx, []byte{0x08, 0x00})) // one of no kind
	}
	check(t, ben.WaitFrames(o.ctx, "ada", media.Microphone, 50))
	for _, text := range []string{"could not parse data packet", "received unsupported data packet"} {
		var written, counted int
		(&place{ctx: o.ctx}).until(t, func() bool {
			written, counted = linesOf(o.log.String(), text)
			return counted == sent
		})
		// Twenty at once, then five in a second and one that counts.
		if most := 20 + 6*(int(time.Since(began).Seconds())+1); written > most {
			t.Errorf("%d lines say %q, want at most %d", written, text, most)
		}
		t.Logf("%d lines count %d messages: %s", written, counted, text)
	}
	check(t, ben.WaitFrames(o.ctx, "ada", media.Microphone, 10))
	if len(o.ended) > 0 {
		t.Error("the media server ended")
	}
}

var leftOut = regexp.MustCompile(`left_out=(\d+)`)

// linesOf is how many lines of a log have a text, and for how many they stand.
func linesOf(log, text string) (written, counted int) {
	for line := range strings.Lines(log) {
		if !strings.Contains(line, strconv.Quote(text)) {
			continue
		}
		written++
		if strings.Contains(line, "msg="+strconv.Quote(text)) {
			counted++
		}
		if count := leftOut.FindStringSubmatch(line); count != nil {
			n, _ := strconv.Atoi(count[1])
			counted += n
		}
	}
	return written, counted
}
