package metrics

import (
	"context"
	"log/slog"
	"time"

	"svc/db"
	"svc/server/fairqueue"
	"svc/server/job"
)

// Sources are the parts of the server that are read at a scrape. All are required, and may be
// read at any time, from several goroutines.
type Sources struct {
	Store *db.DB
	Jobs  func() []job.State
	// Waiting returns how many wait in a kind of heavy work.
	Waiting func(fairqueue.Kind) int
	// Connections returns how many are open, and how many were refused since the start.
	Connections func() (open, refused int)
	// FreeBytes returns the room on the disk of the database, if it is known.
	FreeBytes func() (free uint64, known bool)
	Clock     func() time.Time
	Log       *slog.Logger
}

// Watch adds the metrics of the sources. It is called once, before the first scrape.
func (m *Metrics) Watch(s Sources) { m.sources = &s }

// backlog is what waits, at a time.
type backlog struct {
	db.Backlog
	now time.Time
}

// since returns the seconds from a time until now; 0 if there is no such time, or it is ahead.
func (b backlog) since(t time.Time) float64 {
	if t.IsZero() {
		return 0
	}
	return max(b.now.Sub(t).Seconds(), 0)
}

// files are the sizes of the database, in bytes.
type files struct{ database, log int64 }

// work is how much of a kind waits in the queue that all heavy work shares.
type work struct {
	kind    fairqueue.Kind
	waiting int
}

// connections are those of the server's listener.
type connections struct{ open, refused int }

// Those of the backlog and of files are of the database: servers that share one show the same.
var (
	backlogFigures = []figure[backlog]{
		gauge("svc_calls_open", "Paid or repeatable calls that run, each with a lease.", func(b backlog) float64 { return float64(b.OpenCalls) }),
		gauge("svc_calls_overdue", "Calls whose lease ended over a minute ago and that no server has settled.", func(b backlog) float64 { return float64(b.Overdue) }),
		gauge("svc_calls_in_doubt", "Calls of unknown outcome, which svc messages unknown lists.", func(b backlog) float64 { return float64(b.InDoubt) }),
		gauge("svc_wallet_held_cents", "Credit that is held for open calls, in US cents.", func(b backlog) float64 { return float64(b.HeldCents) }),
		gauge("svc_webhook_deliveries_queued", "Deliveries of webhooks that wait for a try, the first or another; at most 10000 are counted.", func(b backlog) float64 { return float64(b.Queued) }),
		gauge("svc_webhook_deliveries_sending", "Deliveries of webhooks that are being sent.", func(b backlog) float64 { return float64(b.Sending) }),
		gauge("svc_webhook_oldest_delivery_age_seconds", "Age of the oldest delivery that is queued; one that fails is tried again for days.", func(b backlog) float64 { return b.since(b.OldestDelivery) }),
		gauge("svc_webhook_delivery_delay_seconds", "How long a delivery has been due at most: high if the sender does not keep up.", func(b backlog) float64 { return b.since(b.DeliveryDue) }),
		gauge("svc_mails_waiting", "Mails that wait for the mail server, or are being sent.", func(b backlog) float64 { return float64(b.Mails) }),
		gauge("svc_mail_oldest_age_seconds", "Age of the oldest of these mails.", func(b backlog) float64 { return b.since(b.OldestMail) }),
	}
	readableFigures = []figure[bool]{
		gauge("svc_database_readable", "Whether the figures of calls, deliveries and mails were read for this scrape: 1 or 0, and then they are missing.", oneIf),
	}
	fileFigures = []figure[files]{
		gauge("svc_database_size_bytes", "Size of the database file, without datasets.", func(f files) float64 { return float64(f.database) }),
		gauge("svc_database_wal_size_bytes", "Size of the database's write-ahead log.", func(f files) float64 { return float64(f.log) }),
	}
	diskFigures = []figure[uint64]{
		gauge("svc_disk_free_bytes", "Room that is left for the process on the disk of the database.", func(free uint64) float64 { return float64(free) }),
	}
	// The label is not job, which Prometheus sets itself.
	loopFigures = []figure[job.State]{
		counter("svc_loop_runs_total", "Runs of a background loop that ended.", func(s job.State) float64 { return float64(s.Runs) }),
		counter("svc_loop_failures_total", "Runs of a background loop that failed.", func(s job.State) float64 { return float64(s.Failures) }),
		gauge("svc_loop_last_success_timestamp_seconds", "When a background loop last ended without an error; 0: never.", func(s job.State) float64 { return unix(s.SucceededAt) }),
		gauge("svc_loop_interval_seconds", "Time between two runs of a background loop.", func(s job.State) float64 { return s.Every.Seconds() }),
	}
	workFigures = []figure[work]{
		gauge("svc_work_waiting", "Pieces of heavy work that wait for a core, by kind.", func(w work) float64 { return float64(w.waiting) }),
	}
	connectionFigures = []figure[connections]{
		gauge("http_connections_open", "Open connections to the server.", func(c connections) float64 { return float64(c.open) }),
		counter("http_connections_refused_total", "Connections closed for want of room before a request.", func(c connections) float64 { return float64(c.refused) }),
	}
)

// kinds are the kinds of heavy work.
var kinds = []fairqueue.Kind{fairqueue.Questions, fairqueue.Photos, fairqueue.Insights, fairqueue.Files}

func oneIf(is bool) float64 {
	if is {
		return 1
	}
	return 0
}

// unix returns a time in seconds; 0 if it is zero.
func unix(t time.Time) float64 {
	if t.IsZero() {
		return 0
	}
	return float64(t.UnixMilli()) / 1000
}

// readTime bounds the wait for a read of the store. The read itself is bounded by its rows.
const readTime = 2 * time.Second

// write reads the sources. A store that cannot be read costs its own figures.
func (s *Sources) write(t *text) {
	ctx, cancel := context.WithTimeout(context.Background(), readTime)
	defer cancel()
	waiting, err := s.Store.Backlog(ctx)
	if err != nil {
		s.Log.Warn("metrics: the database was not read", "cause", err)
	} else {
		write(t, backlogFigures, nil, backlog{waiting, s.Clock()})
	}
	write(t, readableFigures, nil, err == nil)
	database, log := s.Store.FileBytes()
	write(t, fileFigures, nil, files{database, log})
	if free, known := s.FreeBytes(); known {
		write(t, diskFigures, nil, free)
	}
	write(t, loopFigures, func(s job.State) []string { return []string{"loop", s.Name} }, s.Jobs()...)
	write(t, workFigures, func(w work) []string { return []string{"kind", string(w.kind)} }, s.work()...)
	open, refused := s.Connections()
	write(t, connectionFigures, nil, connections{open, refused})
}

func (s *Sources) work() (all []work) {
	for _, kind := range kinds {
		all = append(all, work{kind, s.Waiting(kind)})
	}
	return all
}
