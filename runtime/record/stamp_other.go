//go:build !linux

package record

import (
	"fmt"
	"io/fs"
)

// stamp tells two states of a file apart.
func stamp(info fs.FileInfo) string {
	return fmt.Sprintf("%v %d %d", info.Mode(), info.Size(), info.ModTime().UnixNano())
}
