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
