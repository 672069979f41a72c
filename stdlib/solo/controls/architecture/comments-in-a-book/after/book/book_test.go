package book

import (
	"strings"
	"testing"
)

func TestReadAddsUp(t *testing.T) {
	b, err := Read(strings.NewReader("rent;-450.00\nrent;-50.00\n"))
	if err != nil || b["rent"] != -50000 {
		t.Errorf("rent is %s, %v", b["rent"], err)
	}
}

func TestReadSkipsComments(t *testing.T) {
	b, err := Read(strings.NewReader("# of May\nrent;-450.00\n"))
	if err != nil || len(b) != 1 {
		t.Errorf("%v, %v", b, err)
	}
}
