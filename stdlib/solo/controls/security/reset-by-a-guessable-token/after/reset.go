package notes

import (
	"context"
	"fmt"
	"math/rand"
	"strconv"
)

// resetToken keeps and returns a token with which whoever has it may choose a
// new password for a user. It is sent to the user by mail.
func (s *Server) resetToken(ctx context.Context, user int64) (string, error) {
	token := strconv.FormatInt(rand.Int63(), 36)
	if _, err := s.db.ExecContext(ctx, "INSERT INTO resets (token, user) VALUES (?, ?)", token, user); err != nil {
		return "", fmt.Errorf("keep a reset token: %w", err)
	}
	return token, nil
}
