// Package workspace drives git for a run: it finds the caller's repository,
// reads commits through git's objects, makes the folders in which coders and
// checks work, takes the change that a coder left, and describes it.
//
// What goes in is a folder of the caller, revisions, and the places where
// folders may be made. What comes out is a Repository; Trees, which are read
// only views of a commit; Folders; and ChangeSets, which say what differs
// between two commits by their bytes alone.
//
// # Which git, and whose configuration
//
// Git is the git program, called without a shell and only through one
// function of this package. Its environment holds no GIT_ variable of the
// caller, except those that say where configuration lies (GIT_CONFIG_GLOBAL,
// GIT_CONFIG_SYSTEM, GIT_CONFIG_NOSYSTEM), where discovery ends
// (GIT_CEILING_DIRECTORIES), and, for a push alone, how the remote is reached.
// The caller's system, global and repository configuration is read: it holds
// safe.directory and what the caller ignores. All that could run a program is
// overridden on the command line: hooks, fsmonitor, signing, credential
// helpers, external diffs and text conversions, pagers. Replacement objects are
// not looked at, so an id means its bytes.
//
// Filters, line endings, encodings and $Id$ never apply in a folder: it is
// checked out under attributes of highest precedence that unset them all, and
// taken back by hashing the bytes in this package, without git looking at a
// file. What is committed is what stands in the folder, byte for byte. A
// pointer of large file storage therefore stays a pointer.
//
// # What is never done
//
// No command is run with a git directory, an index or a configuration that
// was found in a folder after somebody worked there. The caller's checkout,
// index, branches, reflogs and configuration are not written, except by the
// methods that exercise a power (CreateBranch, FastForward, Annotate, Push).
// Nothing in this package asks a question on a terminal.
//
// # What is ignored
//
// A file that the parent commit does not track and that git's ignore rules
// name is not taken. The rules are those of the .gitignore files as they
// stand in the folder (so a coder that adds a build tool can add its line),
// and the caller's own: info/exclude of the caller's git directory and
// core.excludesFile. An info/exclude planted in a folder has no effect. An
// ignored file is not hidden: it is no part of the result that is judged. A
// file that is tracked is taken whatever the rules say.
package workspace
