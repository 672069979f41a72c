package plan

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
)

// sideBySide calls do with every number below n, on all processors. A panic of
// do becomes one of the caller's once the others are done.
func sideBySide(n int, do func(i int)) {
	var next atomic.Int64
	var workers sync.WaitGroup
	var once sync.Once
	var failed any
	for range min(runtime.GOMAXPROCS(0), n) {
		workers.Go(func() {
			defer func() {
				if v := recover(); v != nil {
					once.Do(func() { failed = fmt.Sprintf("%v\n\n%s", v, debug.Stack()) })
				}
			}()
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				do(i)
			}
		})
	}
	if workers.Wait(); failed != nil {
		panic(failed)
	}
}
