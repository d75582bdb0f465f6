//go:build !linux

package livekit

import (
	"os"
	"syscall"
)

func executable() (string, error) { return os.Executable() }

// attributes has none: here the child ends with its parent because its standard
// input does.
func attributes() *syscall.SysProcAttr { return nil }
