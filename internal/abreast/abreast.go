// Package abreast does many small things of one kind on all processors. How
// many there are and what is done for one goes in; it comes back when all are
// done. It knows no errors: what is done keeps its own in its place.
package abreast

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"sync"

	"golang.org/x/sync/errgroup"
)

// Each calls do with every number below n. Size is how many neighbours are done
// one after another, so that starting to do so is cheap beside them. A panic of
// do becomes one of the caller's, once the others are done: the caller's edge
// is the one that words it.
func Each(n, size int, do func(i int)) {
	if n <= size {
		for i := range n {
			do(i)
		}
		return
	}
	var g errgroup.Group
	g.SetLimit(runtime.GOMAXPROCS(0))
	var once sync.Once
	var failed any
	for from := 0; from < n; from += size {
		g.Go(func() error {
			defer func() {
				if v := recover(); v != nil {
					once.Do(func() { failed = fmt.Sprintf("%v\n\n%s", v, debug.Stack()) })
				}
			}()
			for i := from; i < min(from+size, n); i++ {
				do(i)
			}
			return nil
		})
	}
	if _ = g.Wait(); failed != nil {
		panic(failed)
	}
}
