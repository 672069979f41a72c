// Package book keeps what was booked.
package book

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"example.com/ledger/money"
)

// A Book holds a balance for every account.
type Book map[string]money.Amount

// Read reads a book, one account and one amount a line.
func Read(r io.Reader) (Book, error) {
	b := Book{}
	lines := bufio.NewScanner(r)
	for n := 1; lines.Scan(); n++ {
		account, amount, found := strings.Cut(lines.Text(), ";")
		if !found {
			return nil, fmt.Errorf("line %d has no amount", n)
		}
		a, err := money.Parse(amount)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
		b[account] += a
	}
	return b, lines.Err()
}
