package notes

import (
	"context"
	"crypto/pbkdf2"
	"crypto/sha256"
	"crypto/subtle"
)

// check returns the user with this mail and password.
func (s *Server) check(ctx context.Context, mail, password string) (user int64, ok bool) {
	var salt, want []byte
	row := s.db.QueryRowContext(ctx, "SELECT id, salt, hash FROM users WHERE mail = ?", mail)
	if err := row.Scan(&user, &salt, &want); err != nil {
		return 0, false
	}
	got, err := pbkdf2.Key(sha256.New, password, salt, 600_000, len(want))
	if err != nil {
		return 0, false
	}
	return user, subtle.ConstantTimeCompare(got, want) == 1
}
