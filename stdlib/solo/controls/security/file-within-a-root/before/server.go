// Package notes serves notes over HTTP.
package notes

import (
	"database/sql"
	"encoding/json"
	"net/http"
)

// maxBody is how many bytes of a request are read at most.
const maxBody = 1 << 20

// A Server answers requests.
type Server struct {
	db *sql.DB
}

// Handler returns everything that the server answers.
func (s *Server) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /sessions", s.signIn)
	mux.Handle("GET /notes/{id}", s.signedIn(s.show))
	mux.Handle("POST /notes", s.signedIn(s.create))
	return mux
}

// A Note is what a user wrote.
type Note struct {
	ID   int64  `json:"id"`
	Text string `json:"text"`
}

func (s *Server) show(w http.ResponseWriter, r *http.Request, user int64) {
	var n Note
	row := s.db.QueryRowContext(r.Context(), "SELECT id, text FROM notes WHERE id = ? AND owner = ?", r.PathValue("id"), user)
	if err := row.Scan(&n.ID, &n.Text); err != nil {
		http.Error(w, "no such note", http.StatusNotFound)
		return
	}
	answer(w, n)
}

func (s *Server) create(w http.ResponseWriter, r *http.Request, user int64) {
	var n Note
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxBody)).Decode(&n); err != nil {
		http.Error(w, "no note", http.StatusBadRequest)
		return
	}
	if _, err := s.db.ExecContext(r.Context(), "INSERT INTO notes (owner, text) VALUES (?, ?)", user, n.Text); err != nil {
		http.Error(w, "not kept", http.StatusInternalServerError)
		return
	}
	w.WriteHeader(http.StatusCreated)
}

func answer(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	if err := json.NewEncoder(w).Encode(v); err != nil {
		http.Error(w, "no answer", http.StatusInternalServerError)
	}
}
