package command

import (
	"errors"
	"strings"
	"testing"

	"github.com/snodo-lang/snodo/compiler"
)

func TestADefectOfTheCompilerSaysWhereAndHowToReportIt(t *testing.T) {
	err := sourceError(".", &compiler.InternalError{Stage: "routes", Value: "boom", Stack: []byte("goroutine 1")})
	var exit *exitError
	if !errors.As(err, &exit) || exit.code != exitFailed {
		t.Fatalf("got %v", err)
	}
	for _, want := range []string{"routes", "boom", "goroutine 1", "issues"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q is not said: %v", want, err)
		}
	}
}
