package signature

import (
	"crypto/ed25519"
	"crypto/rand"
	"encoding/pem"
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/agent"
)

// key makes a key pair: the private key, its file, and the line that pins it.
func key(t *testing.T) (ed25519.PrivateKey, string, string) {
	t.Helper()
	pub, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	block, err := ssh.MarshalPrivateKey(private, "")
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(file, pem.EncodeToMemory(block), 0o600); err != nil {
		t.Fatal(err)
	}
	line, err := ssh.NewPublicKey(pub)
	if err != nil {
		t.Fatal(err)
	}
	return private, file, string(ssh.MarshalAuthorizedKey(line))
}

func pinned(t *testing.T, line string) ssh.PublicKey {
	t.Helper()
	pub, err := Pinned(line)
	if err != nil {
		t.Fatal(err)
	}
	return pub
}

func TestASignatureIsThePinnedKeysAndOfTheStatement(t *testing.T) {
	_, file, line := key(t)
	_, _, other := key(t)
	sig, err := WithFile([]byte("it holds"), file, pinned(t, line))
	if err != nil {
		t.Fatal(err)
	}
	if err := Check([]byte("it holds"), sig, pinned(t, line)); err != nil {
		t.Error(err)
	}
	if Check([]byte("it does not hold"), sig, pinned(t, line)) == nil {
		t.Error("the signature holds for another statement")
	}
	if err := Check([]byte("it holds"), sig, pinned(t, other)); !errors.Is(err, ErrOtherKey) {
		t.Errorf("another key: %v", err)
	}
	if Check([]byte("it holds"), strings.Replace(sig, "A", "B", 1), pinned(t, line)) == nil {
		t.Error("a changed signature holds")
	}
	if Check([]byte("it holds"), "nonsense", pinned(t, line)) == nil {
		t.Error("nonsense holds")
	}
}

func TestOnlyThePinnedKeySigns(t *testing.T) {
	_, file, _ := key(t)
	_, _, other := key(t)
	if _, err := WithFile([]byte("x"), file, pinned(t, other)); !errors.Is(err, ErrOtherKey) {
		t.Errorf("got %v", err)
	}
	if _, err := WithFile([]byte("x"), filepath.Join(t.TempDir(), "gone"), pinned(t, other)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
	note := filepath.Join(t.TempDir(), "note")
	if err := os.WriteFile(note, []byte("no key"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := WithFile([]byte("x"), note, pinned(t, other)); err == nil {
		t.Error("a file that is no key signs")
	}
}

func TestAKeyWithAPassphraseGoesThroughTheAgent(t *testing.T) {
	private, _, line := key(t)
	block, err := ssh.MarshalPrivateKeyWithPassphrase(private, "", []byte("secret"))
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "locked")
	if err := os.WriteFile(file, pem.EncodeToMemory(block), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := WithFile([]byte("x"), file, pinned(t, line)); err == nil || !strings.Contains(err.Error(), "ssh-add") {
		t.Errorf("got %v", err)
	}

	ring := agent.NewKeyring()
	socket := serve(t, ring)
	if _, err := WithAgent([]byte("x"), socket, pinned(t, line)); !errors.Is(err, ErrNoKey) {
		t.Errorf("an empty agent: %v", err)
	}
	if err := ring.Add(agent.AddedKey{PrivateKey: private}); err != nil {
		t.Fatal(err)
	}
	sig, err := WithAgent([]byte("x"), socket, pinned(t, line))
	if err != nil {
		t.Fatal(err)
	}
	if err := Check([]byte("x"), sig, pinned(t, line)); err != nil {
		t.Error(err)
	}
	if _, err := WithAgent([]byte("x"), "", pinned(t, line)); !errors.Is(err, ErrNoKey) {
		t.Errorf("no agent: %v", err)
	}
}

// serve lets an agent listen, and returns its socket.
func serve(t *testing.T, ring agent.Agent) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "agent") // short: a socket's path is
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	l, err := net.Listen("unix", filepath.Join(dir, "s"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				_ = agent.ServeAgent(ring, conn) // ends when the client has gone
			}()
		}
	}()
	return filepath.Join(dir, "s")
}

func TestWhatARolePinsIsOnePublicKey(t *testing.T) {
	_, _, line := key(t)
	for _, bad := range []string{"", "lead", "ssh-ed25519 AAAA", line + line} {
		if _, err := Pinned(bad); err == nil {
			t.Errorf("%q is taken for a key", bad)
		}
	}
}
