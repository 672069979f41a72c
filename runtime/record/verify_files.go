package record

import (
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
)

// kept holds every file that an event names to the digest in it.
func (v *verifier) kept() error {
	for i, e := range v.events {
		name, digest := namedFile(v.entries[i])
		if name == "" {
			continue
		}
		folder, _, _ := strings.Cut(name, "/")
		if !filepath.IsLocal(filepath.FromSlash(name)) || folder != Transcripts && folder != Evidence {
			v.find(eventsFile, "names at event %d the file %q, which is no place for one", v.events[i].Seq, name)
			continue
		}
		v.named[name] = true
		content, there, err := v.read(name)
		switch {
		case err != nil:
			return err
		case !there:
			v.find(name, "is missing, and event %d names it", e.Seq)
		case sha256Of(content) != digest:
			v.find(name, "is not what was kept by event %d", e.Seq)
		default:
			v.report.Files++
		}
	}
	return nil
}

// namedFile returns the file that an event names, and its digest: a transcript
// or a piece of evidence.
func namedFile(entry Entry) (name, digest string) {
	var named, of *string
	switch e := entry.(type) {
	case Judged:
		named, of = e.Transcript, e.TranscriptDigest
	case Returned:
		named, of = e.Transcript, e.TranscriptDigest
	case Gathered:
		named, of = e.File, e.Digest
	case Attached:
		named, of = e.File, e.Digest
	}
	if named == nil || of == nil {
		return "", ""
	}
	return *named, *of
}

// unnamed looks for what is there and should not be. What a run was about to
// name when it was killed is noted only.
func (v *verifier) unnamed() error {
	own := []string{planFile, taskFile, eventsFile, payloadFile, lockFile, ChangeRequestFile}
	orphans := 0
	return filepath.WalkDir(v.dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(v.dir, path)
		if err != nil {
			return err
		}
		name = filepath.ToSlash(name)
		switch {
		case name == ".", d.IsDir() && (name == Transcripts || name == Evidence):
			return nil
		case d.IsDir():
			v.find(name, "is a folder that no run makes")
			return fs.SkipDir
		case d.Type() != 0:
			v.find(name, "is no regular file")
		case slices.Contains(own, name) || v.named[name]:
		case v.leftByDeath(name, &orphans):
			v.note(name, "was being written when the run was cut short, and no event names it")
		default:
			v.find(name, "was added: no event names it")
		}
		return nil
	})
}

// leftByDeath says whether a file may be what a killed process was about to
// name: a temporary file, at most one file for each judge that could speak at
// once, or the answer to a request that is still open.
func (v *verifier) leftByDeath(name string, orphans *int) bool {
	if v.started == nil || len(v.entries) == 0 {
		return false
	}
	_, ended := v.entries[len(v.entries)-1].(Ended)
	resumed := slices.ContainsFunc(v.entries, func(e Entry) bool { _, ok := e.(Resumed); return ok })
	if strings.HasPrefix(filepath.Base(name), ".") {
		return !ended || resumed
	}
	folder, _, inside := strings.Cut(name, "/")
	if !inside {
		return false
	}
	if v.madeAnew(name) {
		return true
	}
	if ended {
		return folder == Evidence && v.answersOpen(name)
	}
	*orphans++
	return *orphans <= max(1, v.started.Jobs)
}

// madeAnew says whether a file is evidence that was kept when the run was
// killed. The number in its name is that of the event that would have named it;
// there the record says that the run was resumed, and it was gathered anew.
func (v *verifier) madeAnew(name string) bool {
	var seq int
	if _, err := fmt.Sscanf(name, Evidence+"/gathered-%d.txt", &seq); err != nil || seq < 1 || seq > len(v.entries) {
		return false
	}
	_, resumed := v.entries[seq-1].(Resumed)
	return resumed && name == fmt.Sprintf(Evidence+"/gathered-%03d.txt", seq)
}

// answersOpen says whether a file has the name of an answer to a request that
// is open.
func (v *verifier) answersOpen(name string) bool {
	if !v.whole {
		return false
	}
	state, err := Fold(v.events)
	if err != nil {
		return false
	}
	return slices.ContainsFunc(state.Requests, func(q Request) bool {
		return q.State == StateOpen && name == Evidence+"/attached-"+q.ID+".txt"
	})
}
