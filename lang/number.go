package lang

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/snodo-lang/snodo/lang/diag"
)

// The units of durations, in the order in which they must stand.
var units = []struct {
	name         string
	milliseconds int64
}{
	{"h", 3_600_000}, {"m", 60_000}, {"s", 1000}, {"ms", 1},
}

const durationHelp = "a duration is numbers with the units `h`, `m`, `s` and `ms`, in this order and each once: `90s`, `1h30m`"

// number scans a number or a duration, and reports one that is neither.
func (s *scanner) number(rest string) {
	word := rest[:wordLength(rest)]
	digits := digitCount(word)
	k, wrong, help := number, "", ""
	if digits == len(word) {
		if _, ok := parseNumber(word); !ok {
			wrong = fmt.Sprintf("the number %s does not fit 32 bits", shortened(word))
			help = fmt.Sprintf("the largest number is %d", uint32(math.MaxUint32))
		}
	} else {
		k = duration
		_, wrong = parseDuration(word)
		help = numberHelp(word, digits)
	}
	if wrong == "" {
		s.emit(k, len(word), sound)
		return
	}
	s.emit(k, len(word), flawed)
	t := s.tokens[len(s.tokens)-1]
	s.diags.Add(diag.Diagnostic{Code: diag.SN105, Range: s.span(t.start, t.end), Message: wrong, Help: help})
}

// numberHelp says what to write instead of a word that begins with some digits
// and is neither a number nor a duration.
func numberHelp(word string, digits int) string {
	rest := word[digits:]
	switch {
	case rest[0] == '.' && digitCount(rest[1:]) == len(rest)-1:
		return fmt.Sprintf("numbers are whole: write `%s`, or the next one", word[:digits])
	case strings.ContainsAny(rest, ".-_"):
		return "a name begins with a letter or `_`: a package whose name begins with a digit is imported `as` another"
	}
	return durationHelp
}

// digitCount returns how many digits s begins with.
func digitCount(s string) int {
	n := 0
	for n < len(s) && isDigit(rune(s[n])) {
		n++
	}
	return n
}

// parseNumber returns the value of decimal digits, false where it does not
// fit 32 bits.
func parseNumber(digits string) (int, bool) {
	v, err := strconv.ParseUint(digits, 10, 32)
	return int(v), err == nil
}

// parseDuration returns the milliseconds that word stands for, or what is
// wrong with it.
func parseDuration(word string) (ms int64, wrong string) {
	rest, next := word, 0
	for rest != "" {
		digits := digitCount(rest)
		letters := digits
		for letters < len(rest) && !isDigit(rune(rest[letters])) {
			letters++
		}
		unit := rest[digits:letters]
		i := unitIndex(unit)
		switch {
		case digits == 0 || unit == "" || i < 0:
			return 0, fmt.Sprintf("`%s` is neither a number nor a duration", shortened(word))
		case i < next:
			return 0, fmt.Sprintf("the units of `%s` must descend, each once", shortened(word))
		}
		n, ok := parseNumber(rest[:digits])
		if !ok {
			return 0, fmt.Sprintf("the number %s does not fit 32 bits", shortened(rest[:digits]))
		}
		ms += int64(n) * units[i].milliseconds
		rest, next = rest[letters:], i+1
	}
	return ms, ""
}

func unitIndex(unit string) int {
	for i, u := range units {
		if u.name == unit {
			return i
		}
	}
	return -1
}

// shortened returns a quotation short enough for a message.
func shortened(s string) string {
	const most = 40
	if runes := []rune(s); len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return s
}
