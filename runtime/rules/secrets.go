package rules

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/snodo-lang/snodo/internal/abreast"
	"github.com/snodo-lang/snodo/runtime/content"
	"github.com/snodo-lang/snodo/runtime/workspace"
)

// A place is where a detector found a credential: lines from 1, of the text
// that it was given, and the rule that knew it. Line 0 is the file's name.
type place struct {
	first, last int
	rule        string
}

// secrets finds the credentials on added lines, of files of every kind and
// name. Each file of the result is examined whole, so that a credential is
// seen that lies partly on lines that were there before, and what counts are
// the places that touch an added line; and then its added lines by
// themselves, so that nothing that stood there before can draw a match away.
// A file that cannot be read whole is an error.
func secrets(ctx context.Context, set *workspace.ChangeSet, tree *workspace.Tree) ([]Finding, error) {
	d, err := loadDetector()
	if err != nil {
		return nil, err
	}
	added, err := addedLines(ctx, set)
	if err != nil {
		return nil, err
	}
	// Each file is examined by itself, and that takes nearly all of the time.
	byFile := make([][]Finding, len(set.Changes))
	failed := make([]error, len(set.Changes))
	abreast.Each(len(set.Changes), 1, func(i int) {
		c := set.Changes[i]
		if lines := added[c.Path]; len(lines) > 0 && ctx.Err() == nil {
			byFile[i], failed[i] = secretsIn(ctx, d, c.Path, tree, lines)
		}
	})
	if ctx.Err() != nil {
		return nil, errors.Join(errBroken, ctx.Err())
	}
	for _, err := range failed {
		if err != nil {
			return nil, err
		}
	}
	return slices.Concat(byFile...), nil
}

// secretsIn finds the credentials on the added lines of one file.
func secretsIn(ctx context.Context, d *detector, name string, tree *workspace.Tree, lines []workspace.AddedLine) ([]Finding, error) {
	blob, err := tree.ReadFile(ctx, name)
	if err != nil {
		return nil, fmt.Errorf("%q cannot be examined: %w", name, err)
	}
	places, err := examine(ctx, d, name, string(blob.Content), lines)
	if err != nil {
		return nil, fmt.Errorf("%q cannot be examined: %w", name, err)
	}
	var findings []Finding
	for _, p := range places {
		findings = append(findings, Finding{Path: name, Line: p.first, Because: fmt.Sprintf("what looks like a credential was added (%s)", p.rule)})
	}
	return findings, nil
}

// addedLines returns the added lines of every file, in order.
func addedLines(ctx context.Context, set *workspace.ChangeSet) (map[string][]workspace.AddedLine, error) {
	added := map[string][]workspace.AddedLine{}
	var bytes int
	for line, err := range set.AddedLines(ctx) {
		if err != nil {
			return nil, err
		}
		if bytes += len(line.Text); bytes > maxAdded {
			return nil, &workspace.TooLargeError{What: "the change", Limit: fmt.Sprintf("%d MiB of added lines", maxAdded>>20)}
		}
		added[line.Path] = append(added[line.Path], line)
	}
	return added, nil
}

// maxAdded is how many bytes of added lines are examined: as much as a coder
// may change.
const maxAdded = workspace.MaxChangedBytes

// examine returns the places with credentials that touch an added line, each
// at its first such line.
func examine(ctx context.Context, d *detector, name, content string, lines []workspace.AddedLine) ([]place, error) {
	isAdded := map[int]bool{}
	for _, l := range lines {
		isAdded[l.Line] = true
	}
	var found []place
	note := func(places []place) {
		for _, p := range places {
			for line := p.first; line <= p.last; line++ {
				if line == 0 || isAdded[line] {
					found = append(found, place{first: line, last: line, rule: p.rule})
					break
				}
			}
		}
	}
	for _, text := range readings(content) {
		places, err := d.find(ctx, name, text, 1)
		if err != nil {
			return nil, err
		}
		note(places)
	}
	if len(lines) < strings.Count(content, "\n") {
		for _, block := range blocks(lines) {
			for _, text := range readings(block.text) {
				places, err := d.find(ctx, name, text, block.first)
				if err != nil {
					return nil, err
				}
				note(places)
			}
		}
	}
	return found, nil
}

// readings returns the ways in which content may be read: as it is and, where
// it holds NULs, without them. The latter makes text of wide characters
// plain, and keeps the numbers of lines.
func readings(content string) []string {
	if strings.Contains(content, "\x00") {
		return []string{content, strings.ReplaceAll(content, "\x00", "")}
	}
	return []string{content}
}

// A block is a number of added lines that follow one another.
type block struct {
	first int
	text  string
}

func blocks(lines []workspace.AddedLine) []block {
	var all []block
	for len(lines) > 0 {
		n := 1
		for n < len(lines) && lines[n].Line == lines[n-1].Line+1 {
			n++
		}
		var text strings.Builder
		for _, l := range lines[:n] {
			text.WriteString(l.Text)
			text.WriteByte('\n')
		}
		all = append(all, block{first: lines[0].Line, text: text.String()})
		lines = lines[n:]
	}
	return all
}

// lockFiles hold many checksums, which the rule that guesses would take for
// keys. All other rules apply to them.
var lockFiles = []string{
	"go.mod", "go.sum", "go.work", "go.work.sum", "modules.txt",
	"package-lock.json", "npm-shrinkwrap.json", "pnpm-lock.yaml", "yarn.lock", "bun.lock", "deno.lock",
	"Pipfile.lock", "poetry.lock", "uv.lock", "pdm.lock", "Cargo.lock", "Gemfile.lock", "composer.lock", "mix.lock",
	"gradle.lockfile", "verification-metadata.xml", "flake.lock", "Package.resolved", "Podfile.lock", "pubspec.lock", "packages.lock.json",
}

// guesses reports whether the rule that goes by the look of a text alone may
// be applied: not to checksums, and not to what is no text.
func guesses(name, text string) bool {
	return !slices.Contains(lockFiles, path.Base(name)) && !content.IsBinary([]byte(text))
}

var errBroken = errors.New("examination was interrupted")
