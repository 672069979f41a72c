package child

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"
)

// EndSurvivors ends the children of a run that are still there although the
// process that watched them is not, and returns how many there were. They are
// known by the SNODO_RUN of their environment.
func EndSurvivors(run string) int {
	if run == "" {
		return 0
	}
	mark := []byte("SNODO_RUN=" + run)
	own := []int{os.Getpid(), os.Getppid()}
	ended := 0
	entries, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, name := range entries {
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(name)))
		if err != nil || slices.Contains(own, pid) {
			continue
		}
		environ, err := os.ReadFile(name)
		if err != nil {
			continue // another user's, or gone
		}
		if slices.ContainsFunc(bytes.Split(environ, []byte{0}), func(v []byte) bool { return bytes.Equal(v, mark) }) {
			if syscall.Kill(pid, syscall.SIGKILL) == nil {
				ended++
			}
		}
	}
	return ended
}
