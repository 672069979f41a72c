package child

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// signal sends a signal to the whole process group. A group that is gone is
// no error.
func (p *started) signal(s syscall.Signal) {
	_ = syscall.Kill(-p.cmd.Process.Pid, s)
}

// endGroup waits until nothing is left of the group, for a bounded time: a
// process that was killed may still be on its way out. One that nobody
// collects is there for ever and does no more.
func (p *started) endGroup() {
	const step = 5 * time.Millisecond
	timer := time.NewTimer(step)
	defer timer.Stop()
	for waited := time.Duration(0); waited < settle; waited += step {
		if errors.Is(syscall.Kill(-p.cmd.Process.Pid, 0), syscall.ESRCH) {
			return
		}
		<-timer.C
		timer.Reset(step)
	}
}

// lookPath finds a program in the PATH of the child's environment, as a shell
// would. A folder that is not absolute is passed over.
func lookPath(name string, env []string) (string, error) {
	if strings.Contains(name, "/") {
		return name, nil
	}
	for _, variable := range env {
		list, ok := strings.CutPrefix(variable, "PATH=")
		if !ok {
			continue
		}
		for _, dir := range filepath.SplitList(list) {
			if !filepath.IsAbs(dir) {
				continue
			}
			path := filepath.Join(dir, name)
			if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() && info.Mode().Perm()&0o111 != 0 {
				return path, nil
			}
		}
	}
	return "", &exec.Error{Name: name, Err: exec.ErrNotFound}
}
