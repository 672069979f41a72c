package workspace

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"strconv"
	"strings"
)

// The limits of what Diff keeps, in bytes: of one file, and of all.
const (
	maxFileDiff = 1 << 20
	maxAllDiff  = 64 << 20
)

// A FileDiff is the unified diff of one path, with its header. That of a
// binary file says the sizes and shows no content.
type FileDiff struct {
	Path    string
	Text    string
	Omitted int64 // bytes left out at the end, whole lines of them
}

// Diff returns the diffs of the given paths, or of all where none is given,
// in the order of the change set. Paths that did not change are passed over.
func (s *ChangeSet) Diff(ctx context.Context, paths ...string) ([]FileDiff, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.text == nil {
		text, err := s.readDiff(ctx)
		if err != nil {
			return nil, fmt.Errorf("diff: %w", err)
		}
		s.text = text
	}
	wanted := map[string]bool{}
	for _, p := range paths {
		wanted[p] = true
	}
	var diffs []FileDiff
	for _, c := range s.Changes {
		if len(paths) == 0 || wanted[c.Path] {
			diffs = append(diffs, s.text[c.Path])
		}
	}
	return diffs, nil
}

// readDiff reads the diff of everything once, within the limits.
func (s *ChangeSet) readDiff(ctx context.Context) (map[string]FileDiff, error) {
	parts := map[string]*diffText{}
	room := maxAllDiff
	err := s.patch(ctx, "-U3", func(p patchLine) error {
		t := parts[p.change.Path]
		if t == nil {
			t = &diffText{}
			parts[p.change.Path] = t
		}
		if p.change.Binary && p.inHunk {
			return nil
		}
		if t.omitted == 0 && len(p.text)+1 <= min(room, maxFileDiff-t.Len()) {
			t.WriteString(p.text)
			t.WriteByte('\n')
			room -= len(p.text) + 1
		} else {
			t.omitted += int64(len(p.text) + 1)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	diffs := map[string]FileDiff{}
	for _, c := range s.Changes {
		d := FileDiff{Path: c.Path}
		if t := parts[c.Path]; t != nil {
			d.Text, d.Omitted = t.String(), t.omitted
		}
		if c.Binary {
			d.Text += fmt.Sprintf("Binary file: %d bytes before, %d bytes after\n", c.Old.Size, c.New.Size)
		}
		diffs[c.Path] = d
	}
	return diffs, nil
}

type diffText struct {
	strings.Builder
	omitted int64
}

// An AddedLine is a line that the result has and the base does not.
type AddedLine struct {
	Path string
	Line int    // in the result, from 1
	Text string // its bytes, without the newline
}

// maxLine is how much of one line is kept.
const maxLine = 32 << 20

// AddedLines goes through the lines that the change adds, file after file,
// those of binary files and the targets of links included. It ends with the
// first error; a line longer than 32 MiB is a *TooLargeError.
func (s *ChangeSet) AddedLines(ctx context.Context) iter.Seq2[AddedLine, error] {
	return func(yield func(AddedLine, error) bool) {
		errStopped := errors.New("stopped")
		err := s.patch(ctx, "-U0", func(p patchLine) error {
			if !p.inHunk || !strings.HasPrefix(p.text, "+") || p.change.New.Mode == Submodule {
				return nil
			}
			if p.cut {
				return &TooLargeError{What: fmt.Sprintf("line %d of %q", p.line, p.change.Path), Limit: sizeWords(maxLine)}
			}
			if !yield(AddedLine{Path: p.change.Path, Line: p.line, Text: p.text[1:]}, nil) {
				return errStopped
			}
			return nil
		})
		if err != nil && !errors.Is(err, errStopped) {
			yield(AddedLine{}, fmt.Errorf("read added lines: %w", err))
		}
	}
}

// A patchLine is one line of a patch.
type patchLine struct {
	change *Change
	text   string
	inHunk bool // a line of content, or the @@ above it
	line   int  // of an added line: where it stands in the result
	cut    bool // text is but the beginning of it
}

// patch streams the patch of the whole change set.
func (s *ChangeSet) patch(ctx context.Context, context string, visit func(patchLine) error) error {
	args := diffTree(s.Base, s.Head, "--patch", context, "--text", "--src-prefix=a/", "--dst-prefix=b/",
		"--inter-hunk-context=0", "--submodule=short")
	return s.repo.git.stream(ctx, nil, func(out io.Reader) error {
		return readPatch(out, s.Changes, visit)
	}, args...)
}

// readPatch assigns the lines of a patch to the changes, which have the same
// order. Names in the patch are not read: a line of content never begins as
// the header of a file does. A change of type has two headers.
func readPatch(out io.Reader, changes []Change, visit func(patchLine) error) error {
	r := bufio.NewReaderSize(out, 64<<10)
	at, headers := -1, 0 // the change, and how many headers of it are still to come
	p := patchLine{}
	next := 0
	for {
		line, cut, err := readLine(r)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		p.text, p.cut = string(line), cut
		switch {
		case bytes.HasPrefix(line, []byte("diff --git ")):
			if headers--; headers <= 0 {
				if at++; at >= len(changes) {
					return errors.New("git diff-tree answered with more files than it named")
				}
				if headers = 1; changes[at].Kind == TypeChanged {
					headers = 2
				}
			}
			p.change, p.inHunk = &changes[at], false
		case at < 0:
			return fmt.Errorf("git diff-tree answered %q", words(p.text))
		case bytes.HasPrefix(line, []byte("@@ ")):
			if next, err = hunkStart(p.text); err != nil {
				return err
			}
			p.inHunk = true
		}
		if p.inHunk && len(line) > 0 && (line[0] == '+' || line[0] == ' ') {
			p.line = next
			next++
		}
		if err := visit(p); err != nil {
			return err
		}
	}
	if at != len(changes)-1 {
		return errors.New("git diff-tree answered with fewer files than it named")
	}
	return nil
}

// hunkStart reads where "@@ -1,2 +3,4 @@" begins in the result.
func hunkStart(header string) (int, error) {
	fields := strings.Fields(header)
	if len(fields) < 4 {
		return 0, fmt.Errorf("git diff-tree answered %q", words(header))
	}
	first, _, _ := strings.Cut(strings.TrimPrefix(fields[2], "+"), ",")
	n, err := strconv.Atoi(first)
	if err != nil {
		return 0, fmt.Errorf("git diff-tree answered %q", words(header))
	}
	return n, nil
}

// readLine reads a line without its newline, and reports whether it is longer
// than what is returned.
func readLine(r *bufio.Reader) (line []byte, cut bool, err error) {
	for {
		part, err := r.ReadSlice('\n')
		room := maxLine - len(line)
		cut = cut || len(part) > room
		line = append(line, part[:min(len(part), room)]...)
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if errors.Is(err, io.EOF) && len(line) > 0 {
			return line, cut, nil
		}
		return bytes.TrimSuffix(line, []byte("\n")), cut, err
	}
}
