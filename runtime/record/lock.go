package record

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/gofrs/flock"
)

// A HeldError says that another process writes the record, and which. Holder
// is 0 where that is not known.
type HeldError struct{ Holder int }

func (e *HeldError) Error() string {
	if e.Holder == 0 {
		return "another snodo process holds the record of this run"
	}
	return fmt.Sprintf("another snodo process, %d, holds the record of this run", e.Holder)
}

// hold takes the lock of a record, and notes in it who has it. The system
// gives it back when the process ends, however it ends.
func hold(dir string) (*flock.Flock, error) {
	path := filepath.Join(dir, lockFile)
	lock := flock.New(path)
	held, err := lock.TryLock()
	if err != nil {
		return nil, fmt.Errorf("lock record: %w", err)
	}
	if !held {
		return nil, &HeldError{holder(path)}
	}
	// The note serves people; what counts is the lock.
	_ = os.WriteFile(path, []byte(strconv.Itoa(os.Getpid())+"\n"), 0o644)
	return lock, nil
}

func holder(path string) int {
	note, err := os.ReadFile(path)
	if err != nil {
		return 0
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(note)))
	if err != nil {
		return 0
	}
	return pid
}

// Busy says whether a process is writing the record in dir.
func Busy(dir string) (bool, error) {
	lock := flock.New(filepath.Join(dir, lockFile))
	free, err := lock.TryRLock()
	if err != nil {
		return false, fmt.Errorf("look at the lock of the record: %w", err)
	}
	return !free, lock.Unlock()
}
