// Package inputs makes what the benchmarks work on: packages, changes and
// records of any size. The same size gives the same bytes every time. What it
// makes is shaped like what people keep: judges with a few criteria each,
// gates of a dozen members, runs with four verdicts. It measures nothing.
package inputs

import (
	"bytes"
	"fmt"
)

const (
	validatorsOfAFile = 2_000 // a file may not be larger than 4 MiB
	validatorsOfAGate = 12
)

const packageHead = `snodo 1

protocol sized "A protocol of some size" {
  starts inspection
  protects ".github/**", "**/*.snodo"
}

role me "The developer at the keyboard"

evidence test-run(target name) from me "Run the tests of {target} and attach the output." {
  obtain "go", "test", "{target}" timeout 5m
}

evidence human-read(file path, at line, question text) from me "Read {file} at line {at} and answer: {question}"

`

// Package returns the sources, by name, of a package with that many
// validators: of twelve, ten are judges, one is a check and one a rule. All of
// them decide in gates of one review.
func Package(validators int) map[string][]byte {
	files := map[string][]byte{}
	for from := 0; from < validators; from += validatorsOfAFile {
		var out bytes.Buffer
		if from == 0 {
			out.WriteString(packageHead)
		} else {
			out.WriteString("snodo 1\n\n")
		}
		to := min(from+validatorsOfAFile, validators)
		for i := from; i < to; i++ {
			writeValidator(&out, i)
		}
		if to == validators {
			writeReview(&out, validators)
		}
		files[fmt.Sprintf("part%02d.snodo", from/validatorsOfAFile)] = out.Bytes()
	}
	return files
}

// PackageOfSize returns the source of a package of one file that is at least
// so many bytes long and has no validator more than it needs.
func PackageOfSize(size int) []byte {
	var out bytes.Buffer
	out.WriteString(packageHead)
	n := 0
	for ; out.Len() < size; n++ {
		writeValidator(&out, n)
	}
	writeReview(&out, n)
	return out.Bytes()
}

func validatorName(i int) string {
	kind := "part"
	switch i % validatorsOfAGate {
	case 10:
		kind = "tests"
	case 11:
		kind = "scope"
	}
	return fmt.Sprintf("%s-%d", kind, i)
}

func writeValidator(out *bytes.Buffer, i int) {
	switch i % validatorsOfAGate {
	case 10:
		fmt.Fprintf(out, "check tests-%d \"The tests of part %d\" {\n  phase post_execute\n  run \"go test ./part%d/...\" timeout 10m\n}\n\n", i, i, i)
	case 11:
		fmt.Fprintf(out, "rule scope-%d \"The change stays in its part\" {\n  phase post_execute\n  files_in_scope \"part%d/**\", \"docs/**\"\n}\n\n", i, i)
	default:
		fmt.Fprintf(out, `judge part-%d "Part %d is as it should be" {
  // What this part is for stands in its README.
  phase post_execute
  grants read_file, list_files, search_text, read_diff in "part%d/**", "docs/**"
  requests human-read, test-run
  turns 12
  criterion boundary "No changed line of part %d reaches into the internals of another part."
  criterion errors "Every error of part %d names the operation that failed and what it failed on."
  criterion limits "Whatever part %d reads from outside into memory is limited in size."
}

`, i, i, i, i, i, i)
	}
}

func writeReview(out *bytes.Buffer, validators int) {
	out.WriteString("review inspection \"Every part is inspected\" {\n")
	for from := 0; from < validators; from += validatorsOfAGate {
		to := min(from+validatorsOfAGate, validators)
		fmt.Fprintf(out, "  post_execute \"parts from %d\" {\n    panel ", from)
		for i := from; i < to; i++ {
			if i > from {
				out.WriteString(", ")
			}
			out.WriteString(validatorName(i))
		}
		out.WriteString("\n    proceed when all pass\n    unclear -> gather then ask me\n    blocker -> halt\n  }\n")
	}
	out.WriteString("}\n")
}
