package cmd_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

const serverUser = 4321

// byServer runs a command that must succeed as the user to whom the database belongs.
func (f *folder) byServer(args ...string) string {
	f.Helper()
	c := f.command(f.binary, args...)
	c.SysProcAttr.Credential = &syscall.Credential{Uid: serverUser, Gid: serverUser}
	out, err := c.CombinedOutput()
	if err != nil {
		f.Fatalf("svc %q: %v: %s", args, err, out)
	}
	return string(out)
}

// giveToServer gives the folder to the server's user, with the binary, which others cannot
// reach where it is.
func (f *folder) giveToServer() {
	f.Helper()
	if !othersReach(os.TempDir()) {
		f.moveTo("/var/tmp")
	}
	err := os.Chmod(filepath.Dir(f.dir), 0o755)
	if err == nil && os.Link(f.binary, f.path("svc")) != nil { // it is of another file system
		err = os.CopyFS(f.dir, os.DirFS(filepath.Dir(f.binary)))
	}
	f.binary = f.path("svc")
	if err != nil {
		f.Fatal(err)
	}
	err = filepath.WalkDir(f.dir, func(path string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return os.Lchown(path, serverUser, serverUser)
	})
	if err != nil {
		f.Fatal(err)
	}
}

// othersReach reports whether users other than its owner can go through a folder.
func othersReach(dir string) bool {
	info, err := os.Stat(dir)
	return err == nil && info.Mode()&1 != 0 && (filepath.Dir(dir) == dir || othersReach(filepath.Dir(dir)))
}

// moveTo moves the folder into another one, until the test ends.
func (f *folder) moveTo(parent string) {
	f.Helper()
	outer, err := os.MkdirTemp(parent, "svc-*")
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { os.RemoveAll(outer) })
	inner := filepath.Join(outer, "db")
	if err := os.CopyFS(inner, os.DirFS(f.dir)); err != nil {
		f.Fatal(err)
	}
	f.dir = inner
}

// TestRestoreByRootKilled kills restores that root runs. The next command of the server's
// user takes them back as it does its own.
func TestRestoreByRootKilled(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("only root can give files away")
	}
	for _, step := range []string{"restore-unpacked", "restore-begun", "restore-kept-some", "restore-kept", "restore-datasets", "restore-logs", "restore-key", "restore-renamed"} {
		t.Run(step, func(t *testing.T) {
			t.Parallel()
			f := replaced(t)
			f.giveToServer()
			f.killed(step, "restore", "b.tar")
			want := "150"
			if step == "restore-renamed" {
				want = "100"
			}
			if shown := f.byServer("wallet", "show", owner); !strings.Contains(shown, want) {
				t.Errorf("%s, want %s", shown, want)
			}
			f.byServer("wallet", "verify")
			f.byServer("data", "export", "sales")
			if left := f.left(".*"); len(left) > 0 {
				t.Errorf("left %v", left)
			}
		})
	}
}

// TestBackupByRootKilled kills a backup that root runs. It does not hinder those
// of the server's user.
func TestBackupByRootKilled(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("only root can give files away")
	}
	f := replaced(t)
	f.giveToServer()
	f.killed("backup-packed", "backup", "root.tar")
	f.byServer("backup", "own.tar")
}
