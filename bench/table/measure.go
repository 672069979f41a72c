package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"syscall"
	"time"
)

// A usage is what one process took, from its start to its end.
type usage struct {
	Wall, CPU time.Duration // CPU is of the user and the system
	Peak      int64         // bytes of memory
	Exit      int
}

// measuringWord makes this program start another and say what that took. The
// peak of a process counts from the memory of its parent, so the parent is to
// be small, which the program that makes the inputs is not.
const measuringWord = "measuring-one-process"

// measuring runs a command, drops what it prints, and prints its usage.
func measuring(argv []string) int {
	c := exec.Command(argv[0], argv[1:]...)
	c.Stderr = os.Stderr
	start := time.Now()
	err := c.Run()
	u := usage{Wall: time.Since(start)}
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	u.CPU = c.ProcessState.UserTime() + c.ProcessState.SystemTime()
	u.Exit = c.ProcessState.ExitCode()
	if r, ok := c.ProcessState.SysUsage().(*syscall.Rusage); ok {
		u.Peak = peakBytes(int64(r.Maxrss))
	}
	if err := json.NewEncoder(os.Stdout).Encode(u); err != nil {
		return 1
	}
	return 0
}

// peakBytes is a peak in bytes: Linux counts it in KiB, Darwin in bytes.
func peakBytes(maxrss int64) int64 {
	if runtime.GOOS == "darwin" {
		return maxrss
	}
	return maxrss << 10
}

// A sample is what several processes of the same command took.
type sample struct {
	least, median time.Duration // wall
	cpu           time.Duration // least
	peak          int64         // least, bytes
}

const (
	leastTimes = 3
	mostTimes  = 21
	enough     = 3 * time.Second // in all, for one sample
	longest    = 2 * time.Minute // for one process
)

// take runs a command in a folder several times. Every time it must end with
// the exit code that is expected.
func take(ctx context.Context, dir string, exit int, argv ...string) (sample, error) {
	var all []usage
	for start := time.Now(); len(all) < leastTimes || len(all) < mostTimes && time.Since(start) < enough; {
		u, err := once(ctx, dir, argv)
		if err != nil {
			return sample{}, err
		}
		if u.Exit != exit {
			return sample{}, fmt.Errorf("%q ended with %d, not with %d", argv, u.Exit, exit)
		}
		all = append(all, u)
	}
	slices.SortFunc(all, func(a, b usage) int { return int(a.Wall - b.Wall) })
	s := sample{least: all[0].Wall, median: all[len(all)/2].Wall, cpu: all[0].CPU, peak: all[0].Peak}
	for _, u := range all {
		s.cpu, s.peak = min(s.cpu, u.CPU), min(s.peak, u.Peak)
	}
	return s, nil
}

func once(ctx context.Context, dir string, argv []string) (usage, error) {
	self, err := os.Executable()
	if err != nil {
		return usage{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, longest)
	defer cancel()
	c := exec.CommandContext(ctx, self, append([]string{measuringWord}, argv...)...)
	c.Dir = dir
	c.WaitDelay = time.Second
	var complaint bytes.Buffer
	c.Stderr = &complaint
	// No command that is measured may reach a model.
	c.Env = append(os.Environ(), "OPENAI_BASE_URL=http://127.0.0.1:9/v1", "NO_COLOR=1")
	out, err := c.Output()
	if err != nil {
		return usage{}, fmt.Errorf("measure %q: %w\n%s", argv, err, complaint.Bytes())
	}
	var u usage
	if err := json.Unmarshal(out, &u); err != nil {
		return usage{}, fmt.Errorf("measure %q: %w", argv, err)
	}
	return u, nil
}
