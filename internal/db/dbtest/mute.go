package dbtest

import (
	"net"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5/pgproto3"
)

// Mute is a PostgreSQL that is lost between the greeting and the first answer: it
// takes connections, and answers no statement.
type Mute struct {
	URL string
	// Asked receives each statement, for as long as somebody reads it.
	Asked chan string
}

// NewMute starts one, until the end of the test.
func NewMute(t testing.TB) *Mute {
	t.Helper()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	m := &Mute{URL: "postgres://mute@" + listener.Addr().String() + "/mute?sslmode=disable", Asked: make(chan string, 100)}
	var listening sync.WaitGroup
	listening.Go(func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return // the test has ended
			}
			listening.Go(func() { m.listen(client) })
		}
	})
	t.Cleanup(func() { // runs after what the test opens at the other end is closed
		_ = listener.Close()
		listening.Wait()
	})
	return m
}

func (m *Mute) listen(client net.Conn) {
	defer func() { _ = client.Close() }()
	server := pgproto3.NewBackend(client, client)
	first, err := server.ReceiveStartupMessage()
	if _, isStart := first.(*pgproto3.StartupMessage); err != nil || !isStart {
		return // the previous statement was given up
	}
	server.Send(&pgproto3.AuthenticationOk{})
	server.Send(&pgproto3.BackendKeyData{ProcessID: 1, SecretKey: make([]byte, 4)})
	server.Send(&pgproto3.ReadyForQuery{TxStatus: 'I'})
	err = server.Flush()
	for err == nil {
		var message pgproto3.FrontendMessage
		if message, err = server.Receive(); err != nil {
			return
		}
		if statement, ok := message.(*pgproto3.Query); ok {
			select {
			case m.Asked <- statement.String:
			default:
			}
		}
	}
}
