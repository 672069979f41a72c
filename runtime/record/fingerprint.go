package record

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// A Fingerprint is what the files of a record look like from outside, by name.
type Fingerprint map[string]string

// Fingerprint takes that of the record as it is now. The log itself is
// left out, since every append looks whether it is as it was left, and so are
// the lock and what is only being written.
func (l *Log) Fingerprint() (Fingerprint, error) {
	f := Fingerprint{}
	err := filepath.WalkDir(l.dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || d.Name() == eventsFile || d.Name() == lockFile || strings.HasPrefix(d.Name(), ".") {
			return err
		}
		info, err := os.Lstat(path)
		if err != nil {
			return err
		}
		name, err := filepath.Rel(l.dir, path)
		if err != nil {
			return err
		}
		f[filepath.ToSlash(name)] = stamp(info)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("look at the record: %w", err)
	}
	return f, nil
}

// Changed names the files of f that are otherwise, or gone, in later.
func (f Fingerprint) Changed(later Fingerprint) []string {
	var out []string
	for _, name := range slices.Sorted(maps.Keys(f)) {
		if later[name] != f[name] {
			out = append(out, name)
		}
	}
	return out
}
