// Package report prints a book.
package report

import (
	"fmt"
	"io"
	"maps"
	"slices"

	"example.com/ledger/book"
)

// Write prints one line an account, sorted by its name.
func Write(w io.Writer, b book.Book) error {
	for _, account := range slices.Sorted(maps.Keys(b)) {
		if _, err := fmt.Fprintf(w, "%-20s %10s\n", account, b[account]); err != nil {
			return fmt.Errorf("print %s: %w", account, err)
		}
	}
	return nil
}
