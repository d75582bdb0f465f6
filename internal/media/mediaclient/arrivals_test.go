package mediaclient

import "testing"

func TestArrivals(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		numbers []uint16
		lost    int
	}{
		"in order":                       {[]uint16{7, 8, 9}, 0},
		"two are missing":                {[]uint16{7, 10}, 2},
		"one comes late":                 {[]uint16{7, 9, 8, 10}, 0},
		"the numbers wrap":               {[]uint16{65534, 65535, 0, 1}, 0},
		"one is missing where they wrap": {[]uint16{65534, 0, 1}, 1},
		"one comes twice":                {[]uint16{7, 7, 8}, 0},
		"one before the first":           {[]uint16{7, 6, 8}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var a arrivals
			for _, n := range c.numbers {
				a.arrived([]byte{0x80, 0, byte(n >> 8), byte(n)})
			}
			if a.lost() != c.lost || int(a.packets.Load()) != len(c.numbers) {
				t.Errorf("%d arrived, %d lost; want %d and %d", a.packets.Load(), a.lost(), len(c.numbers), c.lost)
			}
		})
	}
	var a arrivals
	a.arrived([]byte{0x80, 0, 1})
	if a.packets.Load() != 0 {
		t.Error("what is too short for a packet was counted")
	}
}
