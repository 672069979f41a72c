// Command words counts the words of a text.
package main

import (
	"fmt"
	"log"
	"os"
)

func main() {
	all, err := count(os.Stdin)
	if err != nil {
		log.Fatal(err)
	}
	for _, w := range all {
		fmt.Println(w.Count, w.Text)
	}
}
