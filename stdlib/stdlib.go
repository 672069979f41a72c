// Package stdlib is the library of protocols that comes with snodo, written
// in its own language. Each folder is one package of it: stdlib/solo is what
// a protocol imports as "std/solo", and what init copies from.
//
// What goes in are the sources and the page of every folder, embedded when
// the binary is built; what comes out is one read-only file system. The
// package never reads the disk, parses nothing, and knows no folder by name:
// a folder with a protocol.snodo or a common.snodo in it is part of the
// library. The known cases beside them, controls.snodo and controls/, are for
// those who work on the library: an import brings none, so none are embedded.
package stdlib

import (
	"embed"
	"io/fs"
)

//go:embed */protocol.snodo */common.snodo */README.md
var files embed.FS

// FS holds the library: <folder>/<file>.snodo and <folder>/README.md, and
// nothing else. Paths are slash-separated and relative to the library, without
// the std/ that an import writes.
var FS fs.FS = files
