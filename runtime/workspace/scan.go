package workspace

import (
	"bytes"
	"context"
	"crypto/sha1"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// A scan compares what stands in a folder with a commit, by names and bytes.
// Links are never followed: neither a file nor a folder on the way to one.
type scan struct {
	root   *os.Root
	format string
	dirs   map[string]bool // whether a path is a real folder
	nested map[string]bool // whether a folder has a git directory of its own
}

// What stands at a path.
type standing struct {
	mode    Mode // 0: nothing that git could hold
	size    int64
	content []byte // of a link: its target
}

func openScan(dir, format string) (*scan, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	return &scan{root: root, format: format, dirs: map[string]bool{".": true}, nested: map[string]bool{".": false}}, nil
}

// isDir reports whether a path is a folder, with no link on the way.
func (s *scan) isDir(dir string) (bool, error) {
	if known, ok := s.dirs[dir]; ok {
		return known, nil
	}
	above, err := s.isDir(path.Dir(dir))
	if err != nil {
		return false, err
	}
	if !above {
		s.dirs[dir] = false
		return false, nil
	}
	info, err := s.root.Lstat(filepath.FromSlash(dir))
	if err != nil && !absent(err) {
		return false, err
	}
	s.dirs[dir] = err == nil && info.IsDir()
	return s.dirs[dir], nil
}

// repositoryAbove returns the outermost folder on the way to a path that has
// a git directory of its own, other than the root. A .git of any kind counts,
// whether git would take it for one or not.
func (s *scan) repositoryAbove(name string) (string, bool, error) {
	elements := strings.Split(path.Dir(name), "/")
	for i := range elements {
		dir := path.Join(elements[:i+1]...)
		if real, err := s.isDir(dir); err != nil || !real {
			return "", false, err
		}
		known, ok := s.nested[dir]
		if !ok {
			_, err := s.root.Lstat(filepath.FromSlash(path.Join(dir, ".git")))
			if err != nil && !absent(err) {
				return "", false, err
			}
			known = err == nil
			s.nested[dir] = known
		}
		if known {
			return dir, true, nil
		}
	}
	return "", false, nil
}

// markBare counts the folder of a new HEAD as a nested repository where git
// would take it for a bare one, and its configuration for one to obey. One
// that the commit has already stays what it is: files of a test.
func (s *scan) markBare(name string) error {
	dir, base := path.Split(name)
	if base != "HEAD" {
		return nil
	}
	for _, part := range []string{"objects", "refs"} {
		if ok, err := s.isDir(path.Join(dir, part)); err != nil || !ok {
			return err
		}
	}
	s.nested[path.Clean(dir)] = true
	return nil
}

// stand looks at a path. A pipe, a socket, a device or a folder counts as
// nothing, as it does for git.
func (s *scan) stand(name string) (standing, error) {
	if ok, err := s.isDir(path.Dir(name)); err != nil || !ok {
		return standing{}, err
	}
	local := filepath.FromSlash(name)
	info, err := s.root.Lstat(local)
	if absent(err) {
		return standing{}, nil
	}
	if err != nil {
		return standing{}, err
	}
	switch info.Mode().Type() {
	case 0:
		mode := Regular
		if info.Mode().Perm()&0o100 != 0 {
			mode = Executable
		}
		return standing{mode: mode, size: info.Size()}, nil
	case fs.ModeSymlink:
		target, err := s.root.Readlink(local)
		if err != nil {
			return standing{}, err
		}
		return standing{mode: Symlink, size: int64(len(target)), content: []byte(target)}, nil
	}
	return standing{}, nil
}

// absent reports an error that means that nothing is there.
func absent(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
}

// open opens the content of what stands at a path, at most limit bytes of it.
// It never waits for the other end of a pipe that was put there meanwhile.
func (s *scan) open(name string, st standing) (io.ReadCloser, error) {
	if st.mode == Symlink {
		return io.NopCloser(bytes.NewReader(st.content)), nil
	}
	f, err := s.root.OpenFile(filepath.FromSlash(name), os.O_RDONLY|syscall.O_NONBLOCK|syscall.O_NOFOLLOW, 0)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%q changed while it was read", name)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// sum returns the object id that the content of a path has for git.
func (s *scan) sum(name string, st standing) (string, error) {
	r, err := s.open(name, st)
	if err != nil {
		return "", err
	}
	defer r.Close()
	h := blobHash(s.format, st.size)
	n, err := io.Copy(h, io.LimitReader(r, st.size+1))
	if err != nil {
		return "", err
	}
	if n != st.size {
		return "", fmt.Errorf("%q changed while it was read", name)
	}
	return fmt.Sprintf("%x", h.Sum(nil)), nil
}

// blobHash begins the hash by which git names a file of the given size.
func blobHash(format string, size int64) hash.Hash {
	h := sha1.New()
	if format == "sha256" {
		h = sha256.New()
	}
	fmt.Fprintf(h, "blob %d\x00", size)
	return h
}

// differs reports whether what stands at a path is not what the commit has.
// Only where sizes agree are bytes read.
func (s *scan) differs(e Entry, st standing) (bool, error) {
	if e.Mode == Submodule {
		return s.submoduleMoved(e)
	}
	if st.mode != e.Mode || st.size != e.Size {
		return true, nil
	}
	id, err := s.sum(e.Path, st)
	return id != e.ID, err
}

// submoduleMoved reports whether a submodule does not stand where the commit
// has it: its folder is gone, or was filled with another commit. It reads
// HEAD as a file; git is never run there.
func (s *scan) submoduleMoved(e Entry) (bool, error) {
	if ok, err := s.isDir(e.Path); err != nil || !ok {
		return true, err
	}
	gitDir := path.Join(e.Path, ".git")
	info, err := s.root.Lstat(filepath.FromSlash(gitDir))
	if absent(err) {
		// Never filled by git. Whatever stands in it is work that would be
		// lost without a word.
		return s.holdsAnything(e.Path)
	}
	if err != nil {
		return false, err
	}
	if info.Mode().IsRegular() {
		pointer, err := s.small(gitDir)
		if err != nil {
			return true, nil
		}
		to, ok := strings.CutPrefix(strings.TrimSpace(pointer), "gitdir: ")
		if !ok || path.IsAbs(to) {
			return true, nil
		}
		gitDir = path.Join(e.Path, to)
	}
	head, err := s.small(path.Join(gitDir, "HEAD"))
	if err != nil {
		return true, nil // it cannot be said where it stands
	}
	return strings.TrimSpace(head) != e.ID, nil
}

// holdsAnything reports whether a folder is not empty.
func (s *scan) holdsAnything(name string) (bool, error) {
	dir, err := s.root.Open(filepath.FromSlash(name))
	if err != nil {
		return false, err
	}
	defer dir.Close()
	_, err = dir.Readdirnames(1)
	if errors.Is(err, io.EOF) {
		return false, nil
	}
	return err == nil, err
}

// small reads a file of no more than a few lines.
func (s *scan) small(name string) (string, error) {
	st, err := s.stand(name)
	if err != nil || !st.mode.IsFile() {
		return "", errors.Join(err, fs.ErrNotExist)
	}
	r, err := s.open(name, st)
	if err != nil {
		return "", err
	}
	defer r.Close()
	content, err := io.ReadAll(io.LimitReader(r, 4<<10))
	return string(content), err
}

// ChangedTracked returns the tracked files that differ from the commit that
// was checked out, by bytes, mode and existence; sorted. It asks nothing of
// the folder's own git directory, index or configuration.
func (f *Folder) ChangedTracked(ctx context.Context) ([]string, error) {
	entries, err := f.repo.listTree(ctx, f.commit)
	if err != nil {
		return nil, err
	}
	s, err := openScan(f.dir, f.repo.format)
	if err != nil {
		return nil, fmt.Errorf("look at folder: %w", err)
	}
	defer s.root.Close()
	var changed []string
	for _, e := range entries {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if e.Mode == Directory {
			continue
		}
		st, err := s.stand(e.Path)
		if err == nil {
			var differs bool
			if differs, err = s.differs(e, st); differs {
				changed = append(changed, e.Path)
			}
		}
		if err != nil {
			return nil, fmt.Errorf("look at %q: %w", e.Path, err)
		}
	}
	slices.Sort(changed)
	return changed, nil
}
