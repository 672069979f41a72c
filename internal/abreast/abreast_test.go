package abreast

import (
	"strings"
	"sync/atomic"
	"testing"
)

func TestEachIsDoneOnce(t *testing.T) {
	for _, n := range []int{0, 1, 7, 8, 9, 1_000} {
		done := make([]atomic.Int32, n)
		Each(n, 8, func(i int) { done[i].Add(1) })
		for i := range done {
			if times := done[i].Load(); times != 1 {
				t.Errorf("%d of %d was done %d times", i, n, times)
			}
		}
	}
}

func TestAPanicIsTheCallers(t *testing.T) {
	var others atomic.Int32
	defer func() {
		v, _ := recover().(string)
		if !strings.HasPrefix(v, "no such thing\n") || !strings.Contains(v, "abreast_test.go") {
			t.Errorf("the caller panics with %q", v)
		}
		if n := others.Load(); n != 99 {
			t.Errorf("%d of 99 others were done", n)
		}
	}()
	Each(100, 1, func(i int) {
		if i == 50 {
			panic("no such thing")
		}
		others.Add(1)
	})
}
