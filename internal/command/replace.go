package command

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/google/renameio/v2"
)

// replaceFile puts content at path in one step, so that nobody ever reads a
// part of it. A link stays a link: what it leads to is replaced. The
// permissions of a file that exists stay as they are.
func replaceFile(path string, content []byte) error {
	target, err := filepath.EvalSymlinks(path)
	if errors.Is(err, fs.ErrNotExist) {
		target, err = path, nil
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	if info, err := os.Stat(target); err == nil && !info.Mode().IsRegular() {
		return usagef("%s is no file that can be replaced", path)
	}
	if err := renameio.WriteFile(target, content, 0o644, renameio.WithExistingPermissions()); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return nil
}
