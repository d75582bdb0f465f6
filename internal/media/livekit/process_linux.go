package livekit

import "syscall"

// executable is this very program, even after another version was installed in
// its place.
func executable() (string, error) { return "/proc/self/exe", nil }

// attributes end the child when the thread that started it ends, which is when
// the parent ends, and protect it from the signals of a terminal.
func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Setpgid: true}
}
