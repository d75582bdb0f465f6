package join

import "testing"

func TestOneNetworkFillsOnlyAShareOfTheWaitingRoom(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		all, theirs int
		share       int
	}{
		{0, 0, 500}, // a quarter of an empty waiting room
		{499, 499, 500},
		{500, 500, 500},
		{500, 0, 375}, // a quarter of what the first network left
		{875, 375, 375},
		{1799, 0, 50},
		{1801, 0, 50}, // not less than fifty
		{1801, 49, 62},
		{1999, 0, 50},
	} {
		c := crowd{most: mostWaiting, all: test.all, theirs: test.theirs}
		if got := c.share(); got != test.share {
			t.Errorf("with %d waiting, %d of them from one network, its share is %d, want %d", test.all, test.theirs, got, test.share)
		}
		if refused := c.refuse("n", "waiting to join") != nil; refused != (test.theirs >= test.share) {
			t.Errorf("with %d waiting, %d of them from one network with a share of %d: refused %v", test.all, test.theirs, test.share, refused)
		}
		if c.refuse("", "waiting to join") != nil {
			t.Errorf("with %d waiting, a person who counts for no network is refused", test.all)
		}
	}
	full := crowd{most: mostWaiting, all: mostWaiting, theirs: 0}
	if full.refuse("", "waiting to join") == nil || full.refuse("n", "waiting to join") == nil {
		t.Error("a full waiting room takes one more")
	}
}

// A flood from a few networks does not fill a waiting room.
func TestHowManyNetworksFillAWaitingRoom(t *testing.T) {
	t.Parallel()
	networks, all := 0, 0
	for all < mostWaiting {
		c := crowd{most: mostWaiting, all: all}
		for c.refuse("n", "waiting to join") == nil {
			c.all, c.theirs = c.all+1, c.theirs+1
		}
		all = c.all
		networks++
	}
	if networks != 13 {
		t.Errorf("%d networks fill a waiting room, docs/reference/joining.md says thirteen", networks)
	}
}
