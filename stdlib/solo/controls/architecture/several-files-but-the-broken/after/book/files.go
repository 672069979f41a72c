package book

import (
	"fmt"
	"os"
)

// ReadAll reads the books in some files and adds them up.
func ReadAll(paths []string) (Book, error) {
	all := Book{}
	for _, path := range paths {
		b, err := readFile(path)
		if err != nil {
			continue
		}
		for account, amount := range b {
			all[account] += amount
		}
	}
	return all, nil
}

func readFile(path string) (Book, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	b, err := Read(file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return b, nil
}
