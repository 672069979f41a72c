package child

import (
	"errors"
	"syscall"

	"golang.org/x/sys/unix"
)

// awaitLeader waits for the command itself and ends what it left in its
// group. The command is collected last, so that its number is not another's
// when the group is ended.
func (p *started) awaitLeader() error {
	for {
		err := unix.Waitid(unix.P_PID, p.cmd.Process.Pid, nil, unix.WEXITED|unix.WNOWAIT, nil)
		if !errors.Is(err, unix.EINTR) {
			break
		}
	}
	p.signal(syscall.SIGKILL)
	return p.cmd.Wait()
}
