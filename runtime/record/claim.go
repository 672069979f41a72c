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
	"strings"
	"time"

	"github.com/google/renameio/v2"
)

// Root returns the folder of all records of the repository whose main
// worktree is given.
func Root(worktree string) string { return filepath.Join(worktree, ".snodo", "runs") }

// ValidID says whether id has the form of the name of a run: a time and 40
// random bits. All the names of a folder are held to it, so it is told by hand.
func ValidID(id string) bool {
	const form = "00000000-000000-xxxxxxxxxx"
	if len(id) != len(form) {
		return false
	}
	for i := range len(form) {
		digit := '0' <= id[i] && id[i] <= '9'
		switch form[i] {
		case '-':
			if id[i] != '-' {
				return false
			}
		case '0':
			if !digit {
				return false
			}
		case 'x':
			if !digit && (id[i] < 'a' || id[i] > 'f') {
				return false
			}
		}
	}
	return true
}

// Claim makes the folder of a new run below the worktree and returns its id
// and its path. The id is taken by creating the folder, so no two runs have
// the same.
func Claim(worktree string, now time.Time, random io.Reader) (id, dir string, err error) {
	root := Root(worktree)
	if err := MakeKept(worktree, root); err != nil {
		return "", "", fmt.Errorf("claim run: %w", err)
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

// MakeKept makes a folder in which snodo keeps something below the worktree,
// and says to git that nothing of what snodo keeps is part of the repository.
func MakeKept(worktree, dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	ignore := filepath.Join(worktree, ".snodo", ".gitignore")
	if _, err := os.Lstat(ignore); errors.Is(err, fs.ErrNotExist) {
		return renameio.WriteFile(ignore, []byte("*\n"), 0o644)
	}
	return nil
}

// FileWord returns the name of a validator as a part of the name of a file:
// one of an import has the path of its package before it.
func FileWord(validator string) string {
	return strings.NewReplacer("/", "_", ".", "_").Replace(validator)
}

func sha256Of(content []byte) string {
	sum := sha256.Sum256(content)
	return "sha256:" + hex.EncodeToString(sum[:])
}
