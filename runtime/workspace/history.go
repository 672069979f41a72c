package workspace

import (
	"context"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"
)

// A History is a commit and its ancestors. A run's own commits are no part of
// the history of its base.
type History struct {
	repo *Repository
	base Commit
}

// History returns the history that ends at base.
func (r *Repository) History(base Commit) *History { return &History{repo: r, base: base} }

// A LogEntry is one commit of a history.
type LogEntry struct {
	Commit  Commit
	Author  string
	When    time.Time
	Subject string
}

// Log returns the latest commits that changed a clean path, at most count,
// newest first. "." is every commit.
func (h *History) Log(ctx context.Context, path string, count int) ([]LogEntry, error) {
	if err := h.repo.checkCommit(h.base); err != nil {
		return nil, err
	}
	args := []string{"log", "-z", "--no-color", "--no-decorate", "--no-mailmap", "--no-follow", "--no-show-signature",
		"--format=%H%n%an%n%at%n%s", "--max-count=" + strconv.Itoa(max(0, count)), string(h.base), "--"}
	if path != "." {
		args = append(args, path)
	}
	out, err := h.repo.git.output(ctx, args...)
	if err != nil {
		return nil, err
	}
	return parseLog(out)
}

func parseLog(out []byte) ([]LogEntry, error) {
	var entries []LogEntry
	for _, record := range records(out) {
		fields := strings.SplitN(record, "\n", 4)
		if len(fields) != 4 {
			return nil, fmt.Errorf("git log answered %q", words(record))
		}
		at, err := strconv.ParseInt(fields[2], 10, 64)
		if err != nil {
			return nil, fmt.Errorf("git log answered %q", words(record))
		}
		entries = append(entries, LogEntry{
			Commit: Commit(fields[0]), Author: fields[1], When: time.Unix(at, 0).UTC(), Subject: strings.TrimSuffix(fields[3], "\n"),
		})
	}
	return entries, nil
}

// shown is a revision that may be shown: HEAD, which is the base, or an id,
// with steps to ancestors.
var shown = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(HEAD|[0-9a-f]{4,64})((?:[~^][0-9]{0,4})*)$`) })

// Resolve returns the commit of the history that a judge's revision means:
// HEAD or a commit's id, possibly shortened, with ~N and ^N behind it. The
// error is a *RevisionError for any other form and for a commit that is
// neither the base nor one of its ancestors.
func (h *History) Resolve(ctx context.Context, rev string) (Commit, error) {
	parts := shown().FindStringSubmatch(rev)
	if parts == nil {
		return "", &RevisionError{Rev: rev, Reason: "is neither HEAD nor a commit id"}
	}
	start := parts[1]
	if start == "HEAD" {
		start = string(h.base)
	}
	c, err := h.repo.Resolve(ctx, start+parts[2])
	if err != nil {
		return "", err
	}
	ok, err := h.repo.IsAncestor(ctx, c, h.base)
	if err != nil {
		return "", err
	}
	if !ok {
		return "", &RevisionError{Rev: rev, Reason: "is not in the history of the base commit"}
	}
	return c, nil
}

// Show returns a file as it was at a revision of the history (see Resolve).
func (h *History) Show(ctx context.Context, rev, path string) (Blob, error) {
	c, err := h.Resolve(ctx, rev)
	if err != nil {
		return Blob{}, err
	}
	return h.repo.readAt(ctx, c, path)
}
