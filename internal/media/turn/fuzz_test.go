package turn

import (
	"net"
	"testing"
	"time"

	"github.com/pion/stun/v3"
	"github.com/pion/turn/v5"
)

// FuzzRequests sends a person's requests with any attributes, with credentials that
// hold. The library runs in the service's process, so a panic in it would end the
// service; the server has to answer afterwards.
func FuzzRequests(f *testing.F) {
	const peer = "\x00\x12\x00\x08\x00\x01\x3f\xd8\xe1\x12\xa6\x43" // 192.0.2.1:7882
	f.Add(uint16(stun.MethodAllocate), []byte("\x00\x19\x00\x04\x11\x00\x00\x00"))
	f.Add(uint16(stun.MethodAllocate), []byte("\x00\x19\x00\x04\x06\x00\x00\x00"))
	f.Add(uint16(stun.MethodAllocate), []byte("\x00\x19\x00\x04\x11\x00\x00\x00\x00\x18\x00\x01\x80\x00\x00\x00"))
	f.Add(uint16(stun.MethodAllocate), []byte("\x00\x19\x00\x04\x11\x00\x00\x00\x00\x17\x00\x04\x02\x00\x00\x00"))
	f.Add(uint16(stun.MethodAllocate), []byte("\x00\x19\x00\x04\x11\x00\x00\x00\x00\x22\x00\x08aaaaaaaa"))
	f.Add(uint16(stun.MethodRefresh), []byte("\x00\x0d\x00\x04\xff\xff\xff\xff"))
	f.Add(uint16(stun.MethodRefresh), []byte("\x00\x0d\x00\x04\x00\x00\x00\x00"))
	f.Add(uint16(stun.MethodCreatePermission), []byte(peer))
	f.Add(uint16(stun.MethodChannelBind), []byte("\x00\x0c\x00\x04\x40\x00\x00\x00"+peer))
	f.Add(uint16(stun.MethodConnect), []byte(peer))
	f.Add(uint16(stun.MethodConnectionBind), []byte("\x00\x2a\x00\x04\x00\x00\x00\x01"))
	f.Fuzz(func(t *testing.T, method uint16, attributes []byte) {
		s := newSite(t)
		packets, err := net.ListenPacket("udp4", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		if err := s.ServePackets(packets); err != nil {
			t.Fatal(err)
		}
		d := &fuzzer{t: t, to: packets.LocalAddr()}
		d.socket, err = net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = d.socket.Close() }()
		var nonce stun.Nonce
		if err := nonce.GetFrom(d.ask(stun.MustBuild(stun.TransactionID, stun.NewType(stun.MethodAllocate, stun.ClassRequest)))); err != nil {
			t.Fatal(err)
		}
		d.sign = signer(nonce)
		allocated := d.ask(d.sign(stun.MethodAllocate, []byte("\x00\x19\x00\x04\x11\x00\x00\x00")))
		if allocated.Type.Class != stun.ClassSuccessResponse {
			t.Fatalf("no allocation: %v", allocated)
		}
		if len(attributes) <= 1000 {
			d.send(d.sign(stun.Method(method&0xfff), attributes))
			raw := &stun.Message{Raw: append([]byte{0x40, 0}, attributes...)}
			d.send(raw) // a packet in a channel
		}
		if got := d.ask(stun.MustBuild(stun.TransactionID, stun.BindingRequest)); got.Type != stun.BindingSuccess {
			t.Errorf("afterwards: %v", got)
		}
	})
}

// fuzzer is a device that speaks UDP.
type fuzzer struct {
	t      *testing.T
	socket *net.UDPConn
	to     net.Addr
	sign   func(stun.Method, []byte) *stun.Message
}

func (d *fuzzer) send(m *stun.Message) {
	d.t.Helper()
	if _, err := d.socket.WriteTo(m.Raw, d.to); err != nil {
		d.t.Fatal(err)
	}
}

// ask sends a request and waits for its answer.
func (d *fuzzer) ask(m *stun.Message) *stun.Message {
	d.t.Helper()
	d.send(m)
	_ = d.socket.SetReadDeadline(time.Now().Add(10 * time.Second))
	for {
		b := make([]byte, 2000)
		n, err := d.socket.Read(b)
		if err != nil {
			d.t.Fatalf("no answer to %v: %v", m, err)
		}
		answer := &stun.Message{Raw: b[:n]}
		if answer.Decode() == nil && answer.TransactionID == m.TransactionID {
			return answer
		}
	}
}

// signer makes requests with credentials that hold, and any attributes before
// them.
func signer(nonce stun.Nonce) func(stun.Method, []byte) *stun.Message {
	username, password := CredentialsOf([]byte(secret), "PA_ada", time.Now().Add(time.Hour))
	return func(method stun.Method, attributes []byte) *stun.Message {
		m := stun.MustBuild(stun.TransactionID, stun.NewType(method, stun.ClassRequest))
		for len(attributes)%4 != 0 {
			attributes = append(attributes, 0)
		}
		m.Raw = append(m.Raw, attributes...)
		m.Length = uint32(len(attributes))
		m.WriteLength()
		for _, a := range []stun.Setter{stun.NewUsername(username), stun.NewRealm(Realm), nonce, stun.MessageIntegrity(turn.GenerateAuthKey(username, Realm, password))} {
			_ = a.AddTo(m) // too long at most, and then it is not signed
		}
		return m
	}
}
