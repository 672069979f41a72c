package compiler

import (
	"fmt"
	"strings"

	"github.com/snodo-lang/snodo/lang"
	"github.com/snodo-lang/snodo/lang/diag"
)

// meant ends the help of every weakening: no line of a source makes it go away.
const meant = "where it is meant, it is for whoever reviews the protocol to accept"

// weaker words a weakening.
func weaker(code diag.Code, at diag.Range, help, format string, args ...any) diag.Diagnostic {
	return diag.Diagnostic{Code: code, Range: at, Message: fmt.Sprintf(format, args...), Help: help + "\n" + meant}
}

// quote shows an earlier text in one line.
func quote(text string) string {
	const most = 160
	line := []rune(strings.Join(strings.Fields(text), " "))
	if len(line) > most {
		line = append(line[:most], '…')
	}
	return "`" + string(line) + "`"
}

func protocolGone(was *lang.Declaration, at diag.Range) diag.Diagnostic {
	return weaker(diag.SN916, at, "declare it again, or move the whole of it: what is left judges nothing",
		"%s is gone, and nothing of the package is judged by it any more", called(was))
}
