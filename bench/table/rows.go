package main

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"
)

// A row is what one input of one size took.
type row struct {
	what string
	size int    // how many, for growth; 0 where a thing has one size
	of   string // of what there are so many
	sample
	work   float64 // what is gone through, for the throughput; 0 where nothing is
	unit   string  // of the work
	allocs string  // "" where they cannot be counted from outside
	beside string  // how it compares to others
}

// write prints the rows. A row that goes on with the thing above it says how
// much longer it took for how much more.
func write(w io.Writer, rows []row) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "what\tsize\tleast\tmedian\tcpu\tpeak\tthroughput\tallocations\tgrowth\tbeside\t")
	for i, r := range rows {
		size := r.of
		if r.size > 0 {
			size = grouped(r.size) + " " + r.of
		}
		growth := ""
		if i > 0 && rows[i-1].what == r.what && r.size > rows[i-1].size && rows[i-1].size > 0 {
			before := rows[i-1]
			growth = fmt.Sprintf("x%.1f for x%.1f", float64(r.least)/float64(before.least), float64(r.size)/float64(before.size))
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t\n",
			r.what, size, shown(r.least), shown(r.median), shown(r.cpu), memory(r.peak), r.throughput(), r.allocs, growth, r.beside)
	}
	return t.Flush()
}

func (r row) throughput() string {
	if r.work == 0 || r.least == 0 {
		return ""
	}
	return fmt.Sprintf("%.1f %s/s", r.work/r.least.Seconds(), r.unit)
}

// shown is a time with three digits.
func shown(d time.Duration) string {
	switch {
	case d == 0:
		return ""
	case d < time.Millisecond:
		return fmt.Sprintf("%.3g µs", float64(d)/float64(time.Microsecond))
	case d < time.Second:
		return fmt.Sprintf("%.3g ms", float64(d)/float64(time.Millisecond))
	}
	return fmt.Sprintf("%.3g s", d.Seconds())
}

func memory(bytes int64) string {
	if bytes == 0 {
		return ""
	}
	return fmt.Sprintf("%.0f MiB", float64(bytes)/(1<<20))
}

// grouped writes a number with its thousands apart.
func grouped(n int) string {
	digits := fmt.Sprint(n)
	var out strings.Builder
	for i, d := range digits {
		if i > 0 && (len(digits)-i)%3 == 0 {
			out.WriteByte(',')
		}
		out.WriteRune(d)
	}
	return out.String()
}
