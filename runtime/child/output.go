package child

import (
	"strings"
	"unicode/utf8"
)

// An Output is what a child printed, standard output and standard error as
// they came, made plain. Of a long one the head and the tail are kept.
type Output struct {
	Head, Tail string // Tail is empty where nothing was left out
	Omitted    int64  // bytes left out between them
}

// Join returns the whole output, or head and tail with note on a line of its
// own between them.
func (o Output) Join(note string) string {
	if o.Omitted == 0 {
		return o.Head + o.Tail
	}
	head := o.Head
	if head != "" && !strings.HasSuffix(head, "\n") {
		head += "\n"
	}
	return head + note + "\n" + o.Tail
}

// maxLine is the longest line, in bytes, that a sink gets in one piece.
const maxLine = 4 << 10

// A recorder makes the output plain, keeps its head and tail, and gives whole
// lines to a sink.
type recorder struct {
	clean sanitizer
	half  int // bytes kept of either end
	sink  func(string)

	head  strings.Builder
	tail  []byte
	total int64
	line  strings.Builder
}

func (r *recorder) write(p []byte) {
	var text strings.Builder
	r.clean.write(&text, p)
	r.keep(text.String())
}

func (r *recorder) end() Output {
	var text strings.Builder
	r.clean.flush(&text)
	r.keep(text.String())
	if r.line.Len() > 0 {
		r.emit()
	}
	return r.output()
}

func (r *recorder) keep(text string) {
	r.total += int64(len(text))
	r.lines(text)
	if room := r.half - r.head.Len(); room > 0 && len(r.tail) == 0 {
		n := cutBefore(text, room)
		r.head.WriteString(text[:n])
		text = text[n:]
	}
	r.tail = append(r.tail, text...)
	if len(r.tail) > 2*r.half {
		r.tail = append(r.tail[:0], r.tail[len(r.tail)-r.half:]...)
	}
}

func (r *recorder) output() Output {
	tail := r.tail[max(0, len(r.tail)-r.half):]
	for len(tail) > 0 && !utf8.RuneStart(tail[0]) {
		tail = tail[1:]
	}
	o := Output{Head: r.head.String(), Tail: string(tail)}
	if o.Omitted = r.total - int64(len(o.Head)+len(o.Tail)); o.Omitted == 0 {
		o.Head, o.Tail = o.Head+o.Tail, ""
	}
	return o
}

// cutBefore returns the most bytes, up to n, that end between characters.
func cutBefore(text string, n int) int {
	if len(text) <= n {
		return len(text)
	}
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return n
}

func (r *recorder) lines(text string) {
	if r.sink == nil {
		return
	}
	for text != "" {
		if r.line.Len() >= maxLine {
			r.emit()
		}
		n := cutBefore(text, max(utf8.UTFMax, maxLine-r.line.Len()))
		if i := strings.IndexByte(text[:n], '\n'); i >= 0 {
			r.line.WriteString(text[:i])
			r.emit()
			text = text[i+1:]
			continue
		}
		r.line.WriteString(text[:n])
		text = text[n:]
	}
}

func (r *recorder) emit() {
	r.sink(r.line.String())
	r.line.Reset()
}
