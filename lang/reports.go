package lang

import (
	"fmt"

	"github.com/snodo-lang/snodo/lang/diag"
)

// maxReports is how many diagnostics of one file are kept. A person mends a
// few and asks again; only a file that is no protocol at all has more.
const maxReports = 1000

// reports are the diagnostics of a file as they are found.
type reports struct {
	list    diag.List
	omitted int
}

// Add keeps one, or counts it where there are too many.
func (r *reports) Add(d diag.Diagnostic) {
	if len(r.list) == maxReports {
		r.omitted++
		return
	}
	r.list.Add(d)
}

// sorted returns the diagnostics in their order. Where some were left out, the
// last one says how many.
func (r *reports) sorted() diag.List {
	out := r.list.Sorted()
	if r.omitted == 0 {
		return out
	}
	last := out[len(out)-1] // the count stands behind it
	out.Add(diag.Diagnostic{
		Code:    diag.SN105,
		Range:   diag.Range{File: last.Range.File, Start: last.Range.End, End: last.Range.End},
		Message: fmt.Sprintf("%d more errors of this file are not shown", r.omitted),
		Help:    "mend those above, and check again",
	})
	return out.Sorted()
}
