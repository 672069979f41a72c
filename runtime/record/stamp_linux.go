package record

import (
	"fmt"
	"io/fs"
	"syscall"
)

// stamp tells two states of a file apart. The time of its last change of any
// kind cannot be set by whoever changes it.
func stamp(info fs.FileInfo) string {
	s := fmt.Sprintf("%v %d %d", info.Mode(), info.Size(), info.ModTime().UnixNano())
	if sys, ok := info.Sys().(*syscall.Stat_t); ok {
		s += fmt.Sprintf(" %d %d.%d", sys.Ino, sys.Ctim.Sec, sys.Ctim.Nsec)
	}
	return s
}
