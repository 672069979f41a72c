package record

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"sync"
	"time"

	"github.com/google/renameio/v2"
)

// Root returns the folder of all records of the repository whose main
// worktree is given.
func Root(worktree string) string { return filepath.Join(worktree, ".snodo", "runs") }

// runID is a time and 40 random bits.
var runID = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\d{8}-\d{6}-[0-9a-f]{10}$`) })

// ValidID says whether id has the form of the name of a run.
func ValidID(id string) bool { return runID().MatchString(id) }

// Claim makes the folder of a new run below the worktree and returns its id
// and its path. The id is taken by creating the folder, so no two runs have
// the same.
func Claim(worktree string, now time.Time, random io.Reader) (id, dir string, err error) {
	root := Root(worktree)
	if err := os.MkdirAll(root, 0o755); err != nil {
		return "", "", fmt.Errorf("claim run: %w", err)
	}
	// What snodo keeps is no part of the repository.
	ignore := filepath.Join(worktree, ".snodo", ".gitignore")
	if _, err := os.Lstat(ignore); errors.Is(err, fs.ErrNotExist) {
		if err := renameio.WriteFile(ignore, []byte("*\n"), 0o644); err != nil {
			return "", "", fmt.Errorf("claim run: %w", err)
		}
	}
	for range 8 {
		bits := make([]byte, 5)
		if _, err := io.ReadFull(random, bits); err != nil {
			return "", "", fmt.Errorf("claim run: %w", err)
		}
		id = now.UTC().Format("20060102-150405") + "-" + hex.EncodeToString(bits)
		dir = filepath.Join(root, id)
		err = os.Mkdir(dir, 0o755)
		if !errors.Is(err, fs.ErrExist) {
			break
		}
	}
	if err != nil {
		return "", "", fmt.Errorf("claim run: %w", err)
	}
	return id, dir, nil
}

func sha256Of(content []byte) string {
	sum := sha256.Sum256(content)
	return "sha256:" + hex.EncodeToString(sum[:])
}
