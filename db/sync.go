package db

import (
	"log/slog"
	"os"
	"path/filepath"
)

// syncer makes committed batches durable and wakes their members, in the order
// of the commits. It runs beside the writer, so that the next batch is computed
// while this one's fsync is under way, and one fsync serves all batches that wait.
//
// The writer's connection is at synchronous = NORMAL, which writes a commit's
// frames to the write-ahead log and leaves them there; to be durable they need the
// fsync that synchronous = FULL would add, and any descriptor of the log can give.
type syncer struct {
	path      string // of the write-ahead log
	log       *slog.Logger
	committed chan committed
	finished  chan struct{}

	fsync      func(*os.File) error
	file       *os.File
	generation int // of the writer's connection for which file was opened
}

// committed is a batch whose outcome is decided.
type committed struct {
	members []*member
	durable bool
	// generation counts the writer's connections: the log is a new file when all
	// connections were closed in between.
	generation int
}

func newSyncer(databasePath string, log *slog.Logger) *syncer {
	return &syncer{
		path:      databasePath + "-wal",
		log:       log,
		committed: make(chan committed, 16),
		finished:  make(chan struct{}),
		fsync:     (*os.File).Sync,
	}
}

// run serves batches until committed is closed. A batch of Tallies alone costs no
// fsync but waits for those before it, so that nobody is told of a change before
// it is durable.
func (s *syncer) run() {
	defer close(s.finished)
	for first := range s.committed {
		batches := s.drain(first)
		err := s.makeDurable(batches)
		for _, b := range batches {
			for _, m := range b.members {
				if err != nil && m.durable && !m.failed() {
					m.err = unavailable(err)
				}
				close(m.done)
			}
		}
	}
	s.close()
}

func (s *syncer) drain(first committed) []committed {
	batches := []committed{first}
	for {
		select {
		case b, open := <-s.committed:
			if !open {
				return batches
			}
			batches = append(batches, b)
		default:
			return batches
		}
	}
}

func (s *syncer) makeDurable(batches []committed) error {
	durable := false
	for _, b := range batches {
		durable = durable || b.durable
	}
	if !durable {
		return nil
	}
	err := s.open(batches[len(batches)-1].generation)
	if err == nil {
		err = s.fsync(s.file)
	}
	if err != nil {
		s.log.Error("database write not durable", "cause", err)
		s.close()
	}
	return err
}

// open opens the log as it is now, and makes its name durable too.
func (s *syncer) open(generation int) error {
	if s.file != nil && s.generation == generation {
		return nil
	}
	s.close()
	file, err := os.OpenFile(s.path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	s.file, s.generation = file, generation
	return syncDirectory(filepath.Dir(s.path))
}

func (s *syncer) close() {
	if s.file != nil {
		s.file.Close()
		s.file = nil
	}
}

func syncDirectory(path string) error {
	directory, err := os.Open(path)
	if err != nil {
		return err
	}
	defer directory.Close()
	return directory.Sync()
}
