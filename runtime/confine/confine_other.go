//go:build !linux

package confine

// Available says whether this system can confine a child: only Linux can.
func Available() error { return ErrUnavailable }

func restrict([]string) error { return ErrUnavailable }

func become(string, []string) error { return ErrUnavailable }
