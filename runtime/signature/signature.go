// Package signature signs what a person says about a run with an SSH key, and
// checks that the key is the one that a role pins.
//
// A statement and a key go in, an armoured SSH signature comes out; or a
// statement, a signature and a public key go in, and whether they belong
// together comes out. The package never keeps a key, and never asks for a
// passphrase: a key that has one is used through the agent.
package signature

import (
	"bytes"
	"errors"
	"fmt"
	"net"
	"os"

	"github.com/hiddeco/sshsig"
	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/agent"
)

// namespace is what snodo's signatures are for: one that was made for a commit
// or a file is none (OpenSSH, PROTOCOL.sshsig).
const namespace = "snodo"

// ErrOtherKey says that a signature, or a key, is not the pinned one's.
var ErrOtherKey = errors.New("the key is not the one that the role pins")

// ErrNoKey says that neither a file nor the agent has the pinned key.
var ErrNoKey = errors.New("the agent does not hold the key that the role pins")

// Pinned reads the public key that a role pins, as it stands in the protocol.
func Pinned(key string) (ssh.PublicKey, error) {
	pub, _, _, rest, err := ssh.ParseAuthorizedKey([]byte(key))
	if err != nil || len(bytes.TrimSpace(rest)) > 0 {
		return nil, errors.New("the key that the role pins is no SSH public key")
	}
	return pub, nil
}

// WithFile signs a statement with the private key in a file. The error matches
// ErrOtherKey where it is not the pinned one.
func WithFile(statement []byte, name string, pinned ssh.PublicKey) (string, error) {
	content, err := os.ReadFile(name)
	if err != nil {
		return "", fmt.Errorf("read the key: %w", err)
	}
	signer, err := ssh.ParsePrivateKey(content)
	if missing := (*ssh.PassphraseMissingError)(nil); errors.As(err, &missing) {
		return "", fmt.Errorf("the key %s has a passphrase: add it to the agent with ssh-add, and leave --key out", name)
	}
	if err != nil {
		return "", fmt.Errorf("read the key %s: it is no SSH private key", name)
	}
	return sign(statement, signer, pinned)
}

// WithAgent signs a statement with the pinned key in the agent that
// SSH_AUTH_SOCK names. The error matches ErrNoKey where it is not there.
func WithAgent(statement []byte, socket string, pinned ssh.PublicKey) (string, error) {
	if socket == "" {
		return "", fmt.Errorf("%w: no agent is running (SSH_AUTH_SOCK); name the key's file with --key", ErrNoKey)
	}
	conn, err := net.Dial("unix", socket)
	if err != nil {
		return "", fmt.Errorf("reach the agent: %w", err)
	}
	defer conn.Close()
	signers, err := agent.NewClient(conn).Signers()
	if err != nil {
		return "", fmt.Errorf("ask the agent for its keys: %w", err)
	}
	for _, s := range signers {
		if same(s.PublicKey(), pinned) {
			return sign(statement, s, pinned)
		}
	}
	return "", ErrNoKey
}

func sign(statement []byte, signer ssh.Signer, pinned ssh.PublicKey) (string, error) {
	if !same(signer.PublicKey(), pinned) {
		return "", ErrOtherKey
	}
	sig, err := sshsig.Sign(bytes.NewReader(statement), signer, sshsig.HashSHA512, namespace)
	if err != nil {
		return "", fmt.Errorf("sign: %w", err)
	}
	armoured := string(sshsig.Armor(sig))
	// What cannot be checked again is not written down.
	return armoured, Check(statement, armoured, pinned)
}

// Check says whether an armoured signature is the pinned key's, and of the
// statement.
func Check(statement []byte, armoured string, pinned ssh.PublicKey) error {
	sig, err := sshsig.Unarmor([]byte(armoured))
	if err != nil {
		return fmt.Errorf("read the signature: %w", err)
	}
	err = sshsig.Verify(bytes.NewReader(statement), sig, pinned, sig.HashAlgorithm, namespace)
	if errors.Is(err, sshsig.ErrPublicKeyMismatch) {
		return ErrOtherKey
	}
	return err
}

func same(a, b ssh.PublicKey) bool { return bytes.Equal(a.Marshal(), b.Marshal()) }
