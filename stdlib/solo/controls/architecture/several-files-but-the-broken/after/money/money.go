// Package money holds amounts of money.
package money

import (
	"fmt"
	"strconv"
	"strings"
)

// An Amount is an amount in cents.
type Amount int64

// String returns the amount in euros, with two decimals.
func (a Amount) String() string {
	sign := ""
	if a < 0 {
		sign, a = "-", -a
	}
	return fmt.Sprintf("%s%d.%02d", sign, a/100, a%100)
}

// Parse reads an amount as String writes it.
func Parse(s string) (Amount, error) {
	euros, cents, found := strings.Cut(s, ".")
	if !found || len(cents) != 2 {
		return 0, fmt.Errorf("%q is no amount", s)
	}
	n, err := strconv.ParseInt(euros+cents, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("%q is no amount", s)
	}
	return Amount(n), nil
}
