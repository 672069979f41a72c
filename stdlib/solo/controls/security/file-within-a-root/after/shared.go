package notes

import (
	"io"
	"net/http"
	"os"
)

// shared is the folder with what every user may read.
const shared = "/var/lib/notes/shared"

// attachment answers with a file that users share.
func (s *Server) attachment(w http.ResponseWriter, r *http.Request, _ int64) {
	root, err := os.OpenRoot(shared)
	if err != nil {
		http.Error(w, "no files", http.StatusInternalServerError)
		return
	}
	defer root.Close()
	file, err := root.Open(r.FormValue("name"))
	if err != nil {
		http.Error(w, "no such file", http.StatusNotFound)
		return
	}
	defer file.Close()
	w.Header().Set("Content-Type", "application/octet-stream")
	if _, err := io.Copy(w, file); err != nil {
		panic(http.ErrAbortHandler)
	}
}
