package db

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
)

// counting makes connections that are counted while they are open. Closing one takes
// until release is closed.
type counting struct {
	open    atomic.Int32
	ends    atomic.Int32 // how many are being closed
	closing chan struct{}
	release chan struct{}
}

func (c *counting) Connect(context.Context) (driver.Conn, error) {
	c.open.Add(1)
	return &counted{of: c}, nil
}

func (c *counting) Driver() driver.Driver { return nil }

type counted struct{ of *counting }

func (c *counted) Close() error {
	c.of.ends.Add(1)
	select {
	case c.of.closing <- struct{}{}:
	default:
	}
	<-c.of.release
	c.of.open.Add(-1)
	return nil
}

func (c *counted) Prepare(string) (driver.Stmt, error) { return nil, errors.ErrUnsupported }
func (c *counted) Begin() (driver.Tx, error)           { return nil, errors.ErrUnsupported }

// When a database is lost, several transactions find out at the same moment, and each
// closes the connections that are not in use, while others are given back. None of them
// is left open for ever.
func TestNoConnectionIsLeftOpen(t *testing.T) {
	t.Parallel()
	c := &counting{closing: make(chan struct{}, 1), release: make(chan struct{})}
	pool := sql.OpenDB(c)
	pool.SetMaxIdleConns(DefaultConnections)
	d := &DB{write: pool, read: pool, connections: DefaultConnections}
	use := func() (all []*sql.Conn) {
		for range 3 {
			conn, err := pool.Conn(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, conn)
		}
		return all
	}
	giveBack := func(all []*sql.Conn, back *sync.WaitGroup) {
		for _, conn := range all {
			back.Go(func() { _ = conn.Close() })
		}
	}
	var back, first sync.WaitGroup
	giveBack(use(), &back)
	back.Wait()
	inUse := use()
	giveBack(use(), &back)
	back.Wait()
	first.Go(d.closeUnused)
	<-c.closing // the first one is being closed
	d.closeUnused()
	for _, conn := range inUse {
		back.Go(func() { _ = conn.Close() })
	}
	for c.ends.Load() < 4 && pool.Stats().Idle < 3 { // until they are closed, or kept
		runtime.Gosched()
	}
	close(c.release)
	first.Wait()
	back.Wait()
	d.Close()
	if n := c.open.Load(); n != 0 {
		t.Errorf("%d connections are open after Close", n)
	}
}
