// Command distance joins this machine's network with a network namespace as if
// they were far from each other: every packet takes a while. The
// browser benchmarks use it where the kernel has no netem. `make bench` builds it as
// bin/distance; namespace.ts drives it. It needs root.
//
//	distance -name cv-1 -namespace cv-1 -peer cable -delay 25ms
//
// makes the network device cv-1 here and the device cable in the namespace cv-1,
// writes a line "ready", and carries packets until its input ends.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"runtime"
	"time"

	"golang.org/x/sys/unix"
)

func main() {
	name := flag.String("name", "", "the device on this side")
	namespace := flag.String("namespace", "", "the namespace on the other side")
	peer := flag.String("peer", "", "the device on the other side")
	delay := flag.Duration("delay", 0, "how long a packet takes, one way")
	flag.Parse()
	if err := run(*name, *namespace, *peer, *delay, os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "distance:", err)
		os.Exit(1)
	}
}

func run(name, namespace, peer string, delay time.Duration, input io.Reader, output io.Writer) error {
	here, err := openDevice(name)
	if err != nil {
		return err
	}
	there, err := openDeviceIn(namespace, peer)
	if err != nil {
		return err
	}
	go carry(there, here, delay)
	go carry(here, there, delay)
	if _, err := fmt.Fprintln(output, "ready"); err != nil {
		return fmt.Errorf("say that it is ready: %w", err)
	}
	_, err = io.Copy(io.Discard, input)
	return err
}

// openDevice makes a network device whose packets are read from the file and
// written to it. It lasts as long as the file is open.
func openDevice(name string) (*os.File, error) {
	fd, err := unix.Open("/dev/net/tun", unix.O_RDWR|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("open /dev/net/tun: %w", err)
	}
	request, err := unix.NewIfreq(name)
	if err != nil {
		return nil, fmt.Errorf("name a device %q: %w", name, err)
	}
	request.SetUint16(unix.IFF_TUN | unix.IFF_NO_PI)
	if err := unix.IoctlIfreq(fd, unix.TUNSETIFF, request); err != nil {
		return nil, fmt.Errorf("make device %s: %w", name, err)
	}
	return os.NewFile(uintptr(fd), name), nil
}

// openDeviceIn makes a device in a network namespace that `ip netns` has made.
func openDeviceIn(namespace, name string) (*os.File, error) {
	type result struct {
		file *os.File
		err  error
	}
	done := make(chan result)
	go func() {
		// The thread stays in the namespace, so it ends with this function.
		runtime.LockOSThread()
		file, err := enterAndOpen(namespace, name)
		done <- result{file, err}
	}()
	r := <-done
	return r.file, r.err
}

func enterAndOpen(namespace, name string) (*os.File, error) {
	space, err := os.Open("/run/netns/" + namespace) //nolint:gosec // the benchmark names it
	if err != nil {
		return nil, fmt.Errorf("open the namespace: %w", err)
	}
	defer func() { _ = space.Close() }()
	if err := unix.Setns(int(space.Fd()), unix.CLONE_NEWNET); err != nil {
		return nil, fmt.Errorf("enter namespace %s: %w", namespace, err)
	}
	return openDevice(name)
}

// packet is one that is on its way.
type packet struct {
	due  time.Time
	data []byte
}

// carry takes packets from one device to the other until the first is closed. Packets
// that a device does not take are lost, as in every network.
func carry(to, from *os.File, delay time.Duration) {
	const mostUnderWay = 10_000 // about 14 MB of the longest packets
	underWay := make(chan packet, mostUnderWay)
	go func() {
		for p := range underWay {
			time.Sleep(time.Until(p.due))
			_, _ = to.Write(p.data)
		}
	}()
	defer close(underWay)
	buffer := make([]byte, 65536)
	for {
		n, err := from.Read(buffer)
		if err != nil {
			return
		}
		underWay <- packet{due: time.Now().Add(delay), data: append([]byte(nil), buffer[:n]...)}
	}
}
