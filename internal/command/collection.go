package command

import (
	"os"
	"runtime"
	"runtime/debug"
)

// collectLate puts off the first run of the garbage collector until the
// process holds 16 MiB, not 4: most commands end before that, and for those
// it is a good part of their time. From then on it runs as it always does, so
// that what is held in the end grows by nothing. GOGC, where it is set, has the
// last word.
func collectLate() {
	const usual, late = 100, 400 // per cent of what is live, of 4 MiB at least
	if os.Getenv("GOGC") != "" {
		return
	}
	debug.SetGCPercent(late)
	first := new(*int) // not live: the first run finds it
	runtime.AddCleanup(first, func(percent int) { debug.SetGCPercent(percent) }, usual)
}
