package cmd_test

import (
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"
	"unsafe"
)

// ioctl asks the kernel about an open terminal.
func ioctl(t *testing.T, f *os.File, request uintptr, arg unsafe.Pointer) {
	t.Helper()
	if _, _, errno := syscall.Syscall(syscall.SYS_IOCTL, f.Fd(), request, uintptr(arg)); errno != 0 {
		t.Fatalf("ioctl %#x: %v", request, errno)
	}
}

// newTerminal opens a pseudo-terminal: what is written to user is typed on terminal.
func newTerminal(t *testing.T) (user, terminal *os.File) {
	t.Helper()
	user, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { user.Close() })
	var number, locked int32
	ioctl(t, user, syscall.TIOCSPTLCK, unsafe.Pointer(&locked))
	ioctl(t, user, syscall.TIOCGPTN, unsafe.Pointer(&number))
	terminal, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { terminal.Close() })
	return user, terminal
}

// echoes reports whether a terminal shows what is typed.
func echoes(t *testing.T, terminal *os.File) bool {
	t.Helper()
	var state syscall.Termios
	ioctl(t, terminal, syscall.TCGETS, unsafe.Pointer(&state))
	return state.Lflag&syscall.ECHO != 0
}

func TestPasswordOnATerminal(t *testing.T) {
	t.Parallel()
	secret := strings.TrimSpace(password)
	const (
		ctrlC  = "^C"
		change = "accounts password " + owner
		create = "accounts create --email " + owner
	)

	// prompt starts the command, types lines and returns its exit status and stderr.
	prompt := func(t *testing.T, f *folder, command string, lines ...string) (int, string) {
		t.Helper()
		user, terminal := newTerminal(t)
		c := f.command(f.binary, words(command)...)
		var out, stderr output
		c.Stdin, c.Stdout, c.Stderr = terminal, &out, &stderr
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		for i, line := range lines {
			await(t, "the question", func() bool { return strings.Count(stderr.String(), ": ") == i+1 && !echoes(t, terminal) })
			if line == ctrlC {
				if err := c.Process.Signal(os.Interrupt); err != nil {
					t.Fatal(err)
				}
				break
			}
			if _, err := user.WriteString(line + "\n"); err != nil {
				t.Fatal(err)
			}
		}
		_ = c.Wait() // the status tells
		if !echoes(t, terminal) {
			t.Error("the terminal no longer shows what is typed")
		}
		if strings.Contains(out.String()+stderr.String(), secret) {
			t.Error("the password is in the output")
		}
		return c.ProcessState.ExitCode(), stderr.String()
	}

	t.Run("Sets", func(t *testing.T) {
		t.Parallel()
		f := newFolder(t)
		f.account(owner, "free", "0")
		if status, stderr := prompt(t, f, change, secret, secret); status != 0 || stderr != "New password: \nThe same again: \n" {
			t.Fatalf("status %d, stderr %q", status, stderr)
		}
		f.serve().signIn(owner, secret)
	})
	t.Run("Differ", func(t *testing.T) {
		t.Parallel()
		f := newFolder(t)
		f.account(owner, "free", "0")
		status, stderr := prompt(t, f, change, secret, secret+"x")
		if status != 1 {
			t.Errorf("status %d", status)
		}
		contains(t, stderr, "svc: the passwords differ; nothing was changed\n")
	})
	t.Run("CtrlC", func(t *testing.T) {
		t.Parallel()
		f := newFolder(t)
		f.account(owner, "free", "0")
		if status, stderr := prompt(t, f, change, ctrlC); status != 1 {
			t.Errorf("status %d, stderr %q", status, stderr)
		}
	})
	t.Run("Creates", func(t *testing.T) {
		t.Parallel()
		f := newFolder(t)
		status, stderr := prompt(t, f, create, secret, secret)
		if status != 0 || stderr != "Password (leave empty for none): \nThe same again: \n" {
			t.Fatalf("status %d, stderr %q", status, stderr)
		}
		f.serve().signIn(owner, secret)
	})
	t.Run("CreatesWithoutPassword", func(t *testing.T) {
		t.Parallel()
		f := newFolder(t)
		if status, stderr := prompt(t, f, create, ""); status != 0 {
			t.Fatalf("status %d, stderr %q", status, stderr)
		}
		var hash string
		if err := f.sql("svc.db").QueryRow(`SELECT coalesce(password_hash, '') FROM accounts`).Scan(&hash); err != nil || hash != "" {
			t.Errorf("hash %q, %v", hash, err)
		}
	})
	t.Run("CreatesNothingIfTheyDiffer", func(t *testing.T) {
		t.Parallel()
		f := newFolder(t)
		if status, stderr := prompt(t, f, create, secret, secret+"x"); status != 1 || f.has("svc.db") {
			t.Errorf("status %d, stderr %q", status, stderr)
		}
	})
}
