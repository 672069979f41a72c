package runtime

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
)

func TestNoMoreThanTheLimitRunAtOnce(t *testing.T) {
	var mu sync.Mutex
	now, most := 0, 0
	var names []string
	for i := range 40 {
		names = append(names, fmt.Sprint(i))
	}
	// The first to run wait for one another, so that the limit is reached.
	full := make(chan struct{})
	err := each(names, 4, func(string) error {
		mu.Lock()
		now++
		most = max(most, now)
		if now == 4 && most == 4 {
			select {
			case <-full:
			default:
				close(full)
			}
		}
		mu.Unlock()
		<-full
		mu.Lock()
		now--
		mu.Unlock()
		return nil
	})
	if err != nil || most != 4 {
		t.Errorf("%d ran at once, want 4; %v", most, err)
	}
}

func TestOneThatFailsCancelsNoOther(t *testing.T) {
	var mu sync.Mutex
	var done []string
	bad := errors.New("bad")
	err := each([]string{"a", "b", "c"}, 1, func(name string) error {
		mu.Lock()
		defer mu.Unlock()
		done = append(done, name)
		if name == "a" {
			return bad
		}
		return nil
	})
	if !errors.Is(err, bad) || !slices.Equal(done, []string{"a", "b", "c"}) {
		t.Errorf("%v were done; %v", done, err)
	}
}
