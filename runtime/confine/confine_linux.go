package confine

import (
	"fmt"
	"os"
	"syscall"

	"github.com/landlock-lsm/go-landlock/landlock"
	ll "github.com/landlock-lsm/go-landlock/landlock/syscall"
)

// needed is the first version of Landlock that also keeps files from being
// truncated.
const needed = 3

// Available says whether this system can confine a child.
func Available() error {
	version, err := ll.LandlockGetABIVersion()
	if err != nil || version < needed {
		return ErrUnavailable
	}
	return nil
}

func restrict(writable []string) error {
	if err := Available(); err != nil {
		return err
	}
	var there []string
	for _, device := range devices {
		if _, err := os.Stat(device); err == nil {
			there = append(there, device)
		}
	}
	err := landlock.V3.RestrictPaths(landlock.RODirs("/"), landlock.RWDirs(writable...).WithRefer(), landlock.RWFiles(there...))
	if err != nil {
		return fmt.Errorf("confine a child: %w", err)
	}
	return nil
}

func become(program string, argv []string) error { return syscall.Exec(program, argv, os.Environ()) }
