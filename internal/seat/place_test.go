package seat

import "testing"

func TestSplitMediaRoom(t *testing.T) {
	t.Parallel()
	const one, inside = "01a200e5-4151-730a-a020-67f842dfe6d4", "01a200e5-414f-7224-bed0-c7c7a307beda"
	for _, c := range []struct{ name, room, breakout string }{
		{one, one, ""}, {one + "_" + inside, one, inside}, {"somebody else's", "somebody else's", ""},
	} {
		r, b := SplitMediaRoom(c.name)
		if r != c.room || b != c.breakout || MediaRoom(r, b) != c.name {
			t.Errorf("%s belongs to room %q and breakout %q, want %q and %q", c.name, r, b, c.room, c.breakout)
		}
	}
}
