package livekit

import "syscall"

// executable is this very program, also after another version was installed in
// its place.
func executable() (string, error) { return "/proc/self/exe", nil }

// attributes make the child end when the thread that started it does, which is
// when the parent does, and keep what a terminal signals from it.
func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Setpgid: true}
}
