package cmd_test

import (
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// load is clients that send all the time.
type load struct {
	*process
	keys []string
	over atomic.Bool
	done sync.WaitGroup

	mu        sync.Mutex
	confirmed []string // request ids of the sends that were answered with 200, in order
}

// startLoad makes keys and begins to send to the server with them.
func startLoad(p *process, clients int) *load {
	p.Helper()
	l := &load{process: p}
	for range 5 * clients {
		_, key := p.key("live")
		l.keys = append(l.keys, key)
	}
	for n := range clients {
		l.done.Go(func() {
			for i := n; !l.over.Load(); i += clients {
				a := p.send(l.keys[i%len(l.keys)], "")
				if a.status == 200 {
					l.mu.Lock()
					l.confirmed = append(l.confirmed, a.header.Get("X-Request-Id"))
					l.mu.Unlock()
				}
			}
		})
	}
	return l
}

// sent returns the ids of the sends that are confirmed.
func (l *load) sent() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.confirmed[:len(l.confirmed):len(l.confirmed)]
}

// await waits until at least n sends are confirmed.
func (l *load) await(n int) {
	l.Helper()
	await(l, "sends are confirmed", func() bool { return len(l.sent()) >= n })
}

func (l *load) stop() {
	l.over.Store(true)
	l.done.Wait()
}

// TestBackupUnderLoad makes backups while clients send, and finds in each restored database
// every send that was confirmed before its backup began.
func TestBackupUnderLoad(t *testing.T) {
	t.Parallel()
	f := newFolder(t)
	f.account(owner, "business", "100000")
	f.write("sales.csv", salesText)
	f.ok(words("data import sales.csv")...)
	sender := newProvider(t, nil)
	p := f.serve(sender.flags()...)
	l := startLoad(p, 4)
	defer l.stop()

	for _, name := range []string{"first", "second"} {
		l.await(len(l.sent()) + 20)
		before := l.sent()
		made := f.object("backup", name+".tar")
		if made["wallets"] != 1.0 || made["datasets"] != 1.0 || made["ledger_rows"].(float64) < float64(len(before)) {
			t.Errorf("backup %v", made)
		}
		if info, err := os.Stat(f.path(name + ".tar")); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%v, %v", info, err)
		}

		database := name + ".db"
		restored := f.object("restore", name+".tar", "--db", database)
		if restored["ledger_rows"] != made["ledger_rows"] || restored["kept"] != nil {
			t.Errorf("restored %v, backed up %v", restored, made)
		}
		ledger := map[any]bool{}
		for _, entry := range f.objects(f.ok("wallet", "ledger", owner, "--json", "--db", database)) {
			ledger[entry["request_id"]] = true
		}
		for i, id := range before {
			if !ledger[id] {
				t.Errorf("send %d of %d that were confirmed before is not there", i+1, len(before))
			}
		}
		f.ok("wallet", "verify", "--db", database)
		contains(t, f.ok("data", "list", "--db", database), "sales")
		contains(t, f.ok("ask", "what was my revenue in January 2024?", "--db", database), "came to £5")
	}
	l.stop()
	p.stop()
}

func TestRestore(t *testing.T) {
	t.Parallel()
	f := newFolder(t)
	f.account(owner, "business", "100")
	contains(t, f.ok("backup", "b.tar"), "backed up svc.db to b.tar; verified: 1 wallet, 1 ledger row, 0 datasets")
	contains(t, f.fails(1, "backup", "b.tar"), "b.tar already exists")
	f.ok("wallet", "credit", owner, "50")

	p := f.serve()
	contains(t, f.fails(1, "restore", "b.tar"), "svc.db: the database is in use; stop svc serve")
	if p.get("/healthz").status != 200 {
		t.Error("the server ended")
	}
	p.stop()

	whole := f.read("b.tar")
	f.write("cut.tar", whole[:len(whole)/2])
	f.write("altered.tar", strings.Replace(whole, owner, strings.ToUpper(owner), 1))
	for line, want := range map[string]string{
		"restore cut.tar":     "cut.tar: damaged",
		"restore altered.tar": "altered.tar: damaged",
		"restore none.tar":    "none.tar: no such file",
		"restore .":           ".: is a directory",
	} {
		if said := f.fails(1, words(line)...); !strings.HasPrefix(said, want) {
			t.Errorf("%s: %q, want %q at its beginning", line, said, want)
		}
	}
	if w := f.object("wallet", "show", owner); w["balance_cents"] != 150.0 {
		t.Errorf("wallet %v after refusals", w)
	}

	kept := f.object("restore", "b.tar")["kept"].(string)
	for database, cents := range map[string]float64{"svc.db": 100, kept: 150} {
		if w := f.object("wallet", "show", owner, "--db", database); w["balance_cents"] != cents {
			t.Errorf("%s: wallet %v, want %v", database, w, cents)
		}
	}
}
