//go:build !linux

package child

import "syscall"

// awaitLeader waits for the command itself and ends what it left in its
// group. A group keeps its number while anybody is left in it.
func (p *started) awaitLeader() error {
	err := p.cmd.Wait()
	p.signal(syscall.SIGKILL)
	return err
}
