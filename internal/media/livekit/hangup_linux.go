package livekit

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"syscall"
)

// hangUp ends the TCP connections of this process, except those at the ports at which
// others connect to it, and says how many it ended. The part of the program that reads
// from a connection learns that it has ended, and connects again.
func hangUp(listening []int) (ended int, err error) {
	open, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return 0, fmt.Errorf("list the open files: %w", err)
	}
	for _, file := range open {
		fd, err := strconv.Atoi(file.Name())
		if err != nil {
			continue
		}
		port, connected := ownPort(fd)
		if connected && !slices.Contains(listening, port) && syscall.Shutdown(fd, syscall.SHUT_RDWR) == nil {
			ended++
		}
	}
	return ended, nil
}

// ownPort is the port on this side of a TCP connection, if a file is one.
func ownPort(fd int) (port int, connected bool) {
	if kind, err := syscall.GetsockoptInt(fd, syscall.SOL_SOCKET, syscall.SO_TYPE); err != nil || kind != syscall.SOCK_STREAM {
		return 0, false
	}
	if _, err := syscall.Getpeername(fd); err != nil {
		return 0, false
	}
	own, err := syscall.Getsockname(fd)
	if err != nil {
		return 0, false
	}
	switch a := own.(type) {
	case *syscall.SockaddrInet4:
		return a.Port, true
	case *syscall.SockaddrInet6:
		return a.Port, true
	}
	return 0, false
}
