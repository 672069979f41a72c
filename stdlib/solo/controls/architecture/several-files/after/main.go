// Command ledger prints the balances of the accounts in files.
package main

import (
	"log"
	"os"

	"example.com/ledger/book"
	"example.com/ledger/report"
)

func main() {
	if len(os.Args) < 2 {
		log.Fatal("usage: ledger FILE...")
	}
	b, err := book.ReadAll(os.Args[1:])
	if err != nil {
		log.Fatal(err)
	}
	if err := report.Write(os.Stdout, b); err != nil {
		log.Fatal(err)
	}
}
