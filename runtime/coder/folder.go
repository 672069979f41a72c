package coder

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"
)

// A folder is where a model writes. It never leaves its root, and follows no
// link, not even one that stays inside.
type folder struct{ root *os.Root }

// A kind is what stands at a path.
type kind int

const (
	isNothing kind = iota
	isFile
	isFolder
	isLink
	isOther // a pipe, a socket, a device
)

// A standing is what stands at a path.
type standing struct {
	kind       kind
	size       int64
	executable bool
}

// A blockedError says that a path lies below something that is no folder.
type blockedError struct {
	path string
	link bool
}

func (e *blockedError) Error() string { return fmt.Sprintf("%s is no folder", e.path) }

// stand looks at what stands at a clean path.
func (f folder) stand(p string) (standing, error) {
	for i, c := range p {
		if c != '/' {
			continue
		}
		at, err := f.look(p[:i])
		switch {
		case err != nil || at.kind == isNothing:
			return standing{}, err
		case at.kind != isFolder:
			return standing{}, &blockedError{p[:i], at.kind == isLink}
		}
	}
	return f.look(p)
}

func (f folder) look(p string) (standing, error) {
	info, err := f.root.Lstat(p)
	if errors.Is(err, fs.ErrNotExist) {
		return standing{}, nil
	}
	if err != nil {
		return standing{}, err
	}
	at := standing{kind: isOther, size: info.Size(), executable: info.Mode()&0o111 != 0}
	switch {
	case info.Mode().IsRegular():
		at.kind = isFile
	case info.IsDir():
		at.kind = isFolder
	case info.Mode()&fs.ModeSymlink != 0:
		at.kind = isLink
	}
	return at, nil
}

// read returns a file that is no larger than maxFile.
func (f folder) read(p string) (string, error) {
	r, err := f.root.Open(p)
	if err != nil {
		return "", err
	}
	defer r.Close()
	content, err := io.ReadAll(io.LimitReader(r, maxFile))
	return string(content), err
}

// unfinished is where a file is written before it takes its place. It lies in
// the checkout's own git directory, which is no part of the work.
const unfinished = ".git/snodo-unfinished"

// write puts a new file in the place of what stands at a path. The old one is
// not written into, since prepare may have linked it to one outside.
func (f folder) write(p, content string, executable bool) (err error) {
	if err := f.root.Remove(unfinished); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	w, err := f.root.OpenFile(unfinished, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	mode := fs.FileMode(0o644)
	if executable {
		mode = 0o755
	}
	_, err = io.WriteString(w, content)
	if err = errors.Join(err, w.Chmod(mode), w.Close()); err != nil {
		return err
	}
	if dir := path.Dir(p); dir != "." {
		if err := f.root.MkdirAll(dir, 0o755); err != nil {
			return err
		}
	}
	return f.root.Rename(unfinished, p)
}

// remove deletes what stands at a path, and the folders that hold nothing
// then, as git does.
func (f folder) remove(p string) error {
	if err := f.root.Remove(p); err != nil {
		return err
	}
	for strings.Contains(p, "/") {
		p = path.Dir(p)
		if f.root.Remove(p) != nil {
			break // it holds something
		}
	}
	return nil
}
