package mediaclient

import (
	"encoding/binary"
	"sync/atomic"

	"github.com/pion/interceptor"
)

// arrivals counts the packets of one stream that arrives, by their numbers.
// Only the reader of the stream writes.
type arrivals struct {
	begun    bool
	last     uint16        // the highest number so far
	packets  atomic.Uint64 // that arrived
	expected atomic.Uint64 // from the first number to the highest
}

// numberAt is where the number of a packet stands in its header (RFC 3550, section
// 5.1).
const numberAt = 2

// arrived counts one packet. A number that is a little lower than the highest one
// is a packet that comes late.
func (a *arrivals) arrived(packet []byte) {
	if len(packet) < numberAt+2 {
		return
	}
	number := binary.BigEndian.Uint16(packet[numberAt:])
	ahead := int16(number - a.last)
	switch {
	case !a.begun:
		a.begun, a.last = true, number
		a.expected.Store(1)
	case ahead > 0:
		a.last = number
		a.expected.Add(uint64(ahead))
	}
	a.packets.Add(1)
}

// lost is how many packets are missing. Packets may also come twice, or before the
// first one.
func (a *arrivals) lost() int {
	return max(0, int(a.expected.Load())-int(a.packets.Load()))
}

// BindRemoteStream is called for each track of others when it begins.
func (t *tap) BindRemoteStream(_ *interceptor.StreamInfo, from interceptor.RTPReader) interceptor.RTPReader {
	a := &arrivals{}
	t.mu.Lock()
	t.incoming = append(t.incoming, a)
	t.mu.Unlock()
	return interceptor.RTPReaderFunc(func(b []byte, attributes interceptor.Attributes) (int, interceptor.Attributes, error) {
		n, attributes, err := from.Read(b, attributes)
		if err == nil {
			a.arrived(b[:n])
		}
		return n, attributes, err //nolint:wrapcheck // stands between a reader and its caller
	})
}

// received counts the packets of all streams, and those that are missing.
func (t *tap) received() (packets, lost int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, a := range t.incoming {
		packets += int(a.packets.Load())
		lost += a.lost()
	}
	return packets, lost
}
