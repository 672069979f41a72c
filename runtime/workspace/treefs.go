package workspace

import (
	"bytes"
	"context"
	"io"
	"io/fs"
	"path"
	"time"
)

// FS returns the tree as a file system. Links are listed as links and cannot
// be opened; submodules are empty folders. ctx bounds every read.
func (t *Tree) FS(ctx context.Context) fs.FS { return &treeFS{ctx: ctx, tree: t} }

// treeFS holds a context because the methods of fs.FS take none.
type treeFS struct {
	ctx  context.Context
	tree *Tree
}

var (
	_ fs.ReadDirFS  = (*treeFS)(nil)
	_ fs.ReadFileFS = (*treeFS)(nil)
	_ fs.StatFS     = (*treeFS)(nil)
)

func (f *treeFS) stat(op, name string) (Entry, error) {
	if !fs.ValidPath(name) {
		return Entry{}, &fs.PathError{Op: op, Path: name, Err: fs.ErrInvalid}
	}
	e, err := f.tree.Stat(f.ctx, name)
	if err != nil {
		return Entry{}, &fs.PathError{Op: op, Path: name, Err: err}
	}
	return e, nil
}

func (f *treeFS) Stat(name string) (fs.FileInfo, error) {
	e, err := f.stat("stat", name)
	if err != nil {
		return nil, err
	}
	return treeInfo{e}, nil
}

func (f *treeFS) ReadFile(name string) ([]byte, error) {
	e, err := f.stat("read", name)
	if err != nil {
		return nil, err
	}
	if !e.Mode.IsFile() {
		return nil, &fs.PathError{Op: "read", Path: name, Err: fs.ErrInvalid}
	}
	blob, err := f.tree.ReadFile(f.ctx, name)
	if err != nil {
		return nil, &fs.PathError{Op: "read", Path: name, Err: err}
	}
	return blob.Content, nil
}

func (f *treeFS) ReadDir(name string) ([]fs.DirEntry, error) {
	e, err := f.stat("readdir", name)
	if err != nil {
		return nil, err
	}
	if e.Mode == Submodule {
		return nil, nil
	}
	entries, err := f.tree.List(f.ctx, name)
	if err != nil {
		return nil, &fs.PathError{Op: "readdir", Path: name, Err: err}
	}
	listed := make([]fs.DirEntry, len(entries))
	for i, e := range entries {
		listed[i] = fs.FileInfoToDirEntry(treeInfo{e})
	}
	return listed, nil
}

func (f *treeFS) Open(name string) (fs.File, error) {
	e, err := f.stat("open", name)
	if err != nil {
		return nil, err
	}
	if e.Mode == Directory || e.Mode == Submodule {
		entries, err := f.ReadDir(name)
		if err != nil {
			return nil, err
		}
		return &treeDir{info: treeInfo{e}, entries: entries}, nil
	}
	content, err := f.ReadFile(name)
	if err != nil {
		return nil, err
	}
	return &treeFile{info: treeInfo{e}, Reader: bytes.NewReader(content)}, nil
}

type treeInfo struct{ entry Entry }

func (i treeInfo) Name() string       { return path.Base(i.entry.Path) }
func (i treeInfo) Size() int64        { return i.entry.Size }
func (i treeInfo) ModTime() time.Time { return time.Time{} }
func (i treeInfo) IsDir() bool        { return i.Mode().IsDir() }
func (i treeInfo) Sys() any           { return nil }

func (i treeInfo) Mode() fs.FileMode {
	switch i.entry.Mode {
	case Directory, Submodule:
		return fs.ModeDir | 0o555
	case Symlink:
		return fs.ModeSymlink | 0o777
	case Executable:
		return 0o555
	default:
		return 0o444
	}
}

type treeFile struct {
	info treeInfo
	*bytes.Reader
}

func (f *treeFile) Stat() (fs.FileInfo, error) { return f.info, nil }
func (f *treeFile) Close() error               { return nil }

type treeDir struct {
	info    treeInfo
	entries []fs.DirEntry
}

func (d *treeDir) Stat() (fs.FileInfo, error) { return d.info, nil }
func (d *treeDir) Close() error               { return nil }

func (d *treeDir) Read([]byte) (int, error) {
	return 0, &fs.PathError{Op: "read", Path: d.info.entry.Path, Err: fs.ErrInvalid}
}

func (d *treeDir) ReadDir(n int) ([]fs.DirEntry, error) {
	if n <= 0 {
		rest := d.entries
		d.entries = nil
		return rest, nil
	}
	if len(d.entries) == 0 {
		return nil, io.EOF
	}
	n = min(n, len(d.entries))
	first := d.entries[:n]
	d.entries = d.entries[n:]
	return first, nil
}
