package judge

import (
	"context"
	"errors"
)

var (
	// ErrRevision is what a Tree's Show returns for a revision that cannot
	// be read.
	ErrRevision = errors.New("no such revision")
	// ErrTooLarge is what a Tree returns for a file that it does not read
	// because of its size.
	ErrTooLarge = errors.New("too large")
)

// A Tree is what a judge reads from: the tree under judgement, and the
// history up to the base of the work. Paths are relative to the root,
// separated by /, and clean; the root is ".".
//
// Errors that match fs.ErrNotExist mean that there is no such path, those
// that match ErrRevision or ErrTooLarge what these say; any other ends the
// judge with an error of class tool.
type Tree interface {
	// Entry says what stands at a path.
	Entry(ctx context.Context, path string) (Entry, error)
	// Walk lists what stands below a folder, at any depth, sorted by path,
	// without the folders themselves.
	Walk(ctx context.Context, folder string) ([]Entry, error)
	// Read returns the bytes of a file.
	Read(ctx context.Context, path string) ([]byte, error)
	// Log lists the latest commits, newest first and at most count, that
	// touched a path.
	Log(ctx context.Context, path string, count int) ([]Commit, error)
	// Show says what stood at a path in a commit, with the bytes of a file.
	// rev is as a model wrote it: the Tree decides which revisions can be
	// read.
	Show(ctx context.Context, rev, path string) (Entry, []byte, error)
}

// A Kind is what an Entry is.
type Kind string

// The kinds of entries.
const (
	File      Kind = "file"
	Folder    Kind = "folder"
	Link      Kind = "link"
	Submodule Kind = "submodule"
)

// An Entry is something at a path of a tree.
type Entry struct {
	Path   string
	Kind   Kind
	Size   int64  // of a file, in bytes
	Target string // of a link
}

// A Commit is a line of the history.
type Commit struct {
	ID      string // a full or short id that Show takes
	Date    string // 2026-11-30
	Author  string
	Subject string
}
