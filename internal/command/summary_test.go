package command

import "testing"

func TestThingsAreCountedInWords(t *testing.T) {
	for want, got := range map[string]string{
		"0 files": counted(0, "file"), "1 file": counted(1, "file"), "2 files": counted(2, "file"),
		"1 child process": counted(1, "child process"), "2 child processes": counted(2, "child process"),
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
