package main

import (
	"os"

	"github.com/snodo-lang/snodo/internal/command"
)

func main() { os.Exit(command.Snodo()) }
