package dataset

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"

	"svc/db"
	"svc/server/fairqueue"
	"svc/server/schema"
)

// Service keeps the datasets of accounts, and describes their shops' own tables.
type Service struct {
	store   *db.DB
	metrics []string
	files   *fairqueue.Queue // of uploads; one is read at a time, to bound the memory
	queue   *fairqueue.Queue // of all heavy work

	builds    singleflight.Group // of pushed datasets, by account
	nextBuild sync.Map           // by account the time before which it is not built again
	totals    sync.Map           // by dataset its revenue, see Total
}

// Config are the dependencies of a Service.
type Config struct {
	Store *db.DB
	// Metrics are the names of the figures that ask computes, which a taught word may mean.
	Metrics []string
	Queue   *fairqueue.Queue // of all heavy work; nil: one of its own
}

// New returns a service.
func New(c Config) *Service {
	return &Service{store: c.Store, metrics: c.Metrics, files: fairqueue.New(1), queue: cmp.Or(c.Queue, fairqueue.ForProcess())}
}

// abandon removes the row of an import and then its files, even if the caller's context has
// ended. If the import is complete meanwhile, it stays.
func (s *Service) abandon(ctx context.Context, d db.Dataset) error {
	err := s.store.Update(context.WithoutCancel(ctx), func(tx *db.Tx) error { return tx.AbandonDataset(d) })
	if errors.Is(err, db.ErrStale) {
		return nil
	}
	if err != nil {
		return err
	}
	return s.store.RemoveImport(d)
}

// Remove removes one of the account's ready datasets, by its id or name.
func (s *Service) Remove(ctx context.Context, accountID, id string) (db.Dataset, error) {
	d, _, err := s.find(ctx, accountID, id)
	if err != nil {
		return d, err
	}
	s.totals.Delete(d.ID)
	if err := s.removePushed(ctx, d); err != nil {
		return d, err
	}
	if err := s.store.Update(ctx, func(tx *db.Tx) error { return tx.DropDataset(d) }); err != nil {
		return d, err
	}
	return d, db.RemoveDataFile(s.store.DataPath(d))
}

// Use makes ask read one of the account's datasets, by its id or name. With an empty id it
// reads the newest again.
func (s *Service) Use(ctx context.Context, accountID, id string) error {
	return s.store.Update(ctx, func(tx *db.Tx) error {
		if id != "" {
			d, err := tx.Dataset(accountID, id)
			if err == nil && !d.Ready {
				err = db.ErrNotFound
			}
			if err != nil {
				return fmt.Errorf("dataset: %w", err)
			}
			id = d.ID
		}
		return tx.UseDataset(accountID, id)
	})
}

// Sweep removes imports whose process has ended, uploads whose time is over, and files that
// no dataset has, or no longer.
func (s *Service) Sweep(ctx context.Context) error {
	var now time.Time
	importing, err := db.Read(ctx, s.store, func(tx *db.Tx) ([]db.Dataset, error) {
		now = tx.Now()
		return tx.ImportingDatasets()
	})
	for _, d := range importing {
		dead, deadErr := s.store.IsDead(d, now)
		err = errors.Join(err, deadErr)
		if dead {
			err = errors.Join(err, s.abandon(ctx, d))
		}
	}
	return errors.Join(err, s.sweepOld(ctx), s.store.SweepDataFiles(ctx))
}

// Summary describes a dataset in lists.
type Summary struct {
	db.Dataset
	First, Last string // its period; empty without a Day column
	Files       []ImportedFile
}

// Period says of which days the dataset is, like "1 Jan 2026 to 3 Mar 2026"; empty without them.
func (s Summary) Period() string { return period(s.First, s.Last) }

// ImportedFile is a file whose rows a dataset has.
type ImportedFile struct {
	Name  string `json:"name"`
	Rows  int    `json:"rows"`            // of data
	At    int64  `json:"at"`              // when it was imported, in ms since 1970
	Comma bool   `json:"comma,omitempty"` // see reader.hasComma
	// Width is, of the first file, the number of the dataset's headings that every file
	// must have; 0: all that the dataset has.
	Width int `json:"width,omitempty"`
	// Dates is, of the first file, the order that was chosen for days that prove none; see File.
	Dates string `json:"dates,omitempty"`
	// Upload is the id of the upload that the file was; empty: it came another way.
	Upload string `json:"upload,omitempty"`
	// Past are, of the first file, those whose rows were replaced, in order.
	Past []ImportedFile `json:"past,omitempty"`
}

// maxPast bounds the replaced files that a dataset remembers.
const maxPast = 100

// pastOf returns the files whose rows were replaced by those of files.
func pastOf(files []ImportedFile) []ImportedFile {
	if len(files) == 0 {
		return nil
	}
	return files[0].Past
}

// History returns all files of a dataset in order: those whose rows were replaced, and those
// whose rows it has.
func History(files []ImportedFile) []ImportedFile { return slices.Concat(pastOf(files), files) }

// replaced returns the past of a dataset whose files are replaced. What the API sent is no file,
// and is sent anew each time.
func replaced(files []ImportedFile, isPushed bool) (past []ImportedFile) {
	past = slices.Clone(pastOf(files))
	if !isPushed {
		for _, f := range files {
			f.Past = nil
			past = append(past, f)
		}
	}
	return past[max(0, len(past)-maxPast):]
}

// Time returns when the file was imported.
func (f ImportedFile) Time() time.Time { return time.UnixMilli(f.At) }

// List returns the account's datasets: those being imported first, then in the order in
// which ask prefers them. It reads the first ready one. Imports whose process has ended are
// left out.
func (s *Service) List(ctx context.Context, accountID string) (all []Summary, err error) {
	if err := s.Refresh(ctx, accountID); err != nil {
		return nil, err
	}
	return s.list(ctx, accountID)
}

// Named returns the account's datasets with a text in their name, as they stand: unlike List, it
// does not bring that of pushed sales up to date first.
func (s *Service) Named(ctx context.Context, accountID, text string) ([]Summary, error) {
	all, err := s.list(ctx, accountID)
	return slices.DeleteFunc(all, func(d Summary) bool { return !strings.Contains(db.FoldText(d.Name), db.FoldText(text)) }), err
}

func (s *Service) list(ctx context.Context, accountID string) (all []Summary, err error) {
	var rows []db.Dataset
	var now time.Time
	err = s.store.LongView(ctx, func(tx *db.Tx) (err error) {
		now = tx.Now()
		rows, err = tx.Datasets(accountID)
		return err
	})
	for _, d := range rows {
		dead, err := s.store.IsDead(d, now)
		if err != nil {
			return nil, err
		}
		if dead {
			continue
		}
		one := Summary{Dataset: d}
		if err := errors.Join(json.Unmarshal([]byte(cmp.Or(d.Source, "{}")), &one), json.Unmarshal([]byte(d.Files), &one.Files)); err != nil {
			return nil, fmt.Errorf("dataset %s: %w", d.ID, err)
		}
		all = append(all, one)
	}
	return all, err
}

// Files returns the files that were imported into a dataset, in order.
func (s *Service) Files(ctx context.Context, accountID, id string) ([]ImportedFile, error) {
	d, _, err := s.find(ctx, accountID, id)
	if err != nil {
		return nil, err
	}
	return filesOf(d)
}

func filesOf(d db.Dataset) (files []ImportedFile, err error) {
	if err := json.Unmarshal([]byte(d.Files), &files); err != nil {
		return nil, fmt.Errorf("dataset %s: %w", d.ID, err)
	}
	return files, nil
}

// Find returns the source of one of the account's datasets, by its id or name; with an
// empty id, of the one that ask reads. The error is db.ErrNotFound if there is none.
func (s *Service) Find(ctx context.Context, accountID, id string) (schema.Source, error) {
	if err := s.Refresh(ctx, accountID); err != nil {
		return schema.Source{}, err
	}
	_, source, err := s.find(ctx, accountID, id)
	if err != nil {
		return source, err
	}
	return s.recognized(ctx, source)
}

func (s *Service) find(ctx context.Context, accountID, id string) (d db.Dataset, source schema.Source, err error) {
	d, err = db.Read(ctx, s.store, func(tx *db.Tx) (db.Dataset, error) {
		if id == "" {
			return tx.LatestDataset(accountID)
		}
		d, err := tx.Dataset(accountID, id)
		if err == nil && !d.Ready {
			err = db.ErrNotFound
		}
		return d, err
	})
	if err != nil {
		return d, source, fmt.Errorf("dataset: %w", err)
	}
	if err := json.Unmarshal([]byte(d.Source), &source); err != nil {
		return d, source, fmt.Errorf("dataset %s: %w", d.ID, err)
	}
	source.ID, source.Name, source.File = d.ID, d.Name, d.File
	return d, source, nil
}

// Versions returns version tokens of a dataset and of the shop; when one changes, cached
// results of Find or Shop are stale. The error is db.ErrNotFound if the account has no
// such dataset.
func (s *Service) Versions(ctx context.Context, owner db.Account, id string) (dataset, shop string, err error) {
	if err := s.Refresh(ctx, owner.ID); err != nil {
		return "", "", err
	}
	err = s.store.View(ctx, func(tx *db.Tx) error {
		dataset, err = tx.DatasetStamp(owner.ID, id)
		if errors.Is(err, db.ErrNotFound) && id == "" {
			dataset, err = "none", nil
		}
		if err != nil {
			return fmt.Errorf("dataset: %w", err)
		}
		dataset += " " + owner.Profile.Currency
		stamp, err := tx.ShopStamp(owner.ID)
		shop = fmt.Sprint(stamp)
		return err
	})
	return dataset, shop, err
}

// Open opens the rows of a dataset that Find returned. The caller closes it.
func (s *Service) Open(source schema.Source) (*db.DataFile, error) {
	return db.OpenDataFile(s.store.DataPath(db.Dataset{File: source.File}))
}

// SetRoles corrects the roles of columns, all or none, by their headings (I1). An empty id
// is the dataset that ask reads. Errors are ErrHeading and ErrRole.
func (s *Service) SetRoles(ctx context.Context, accountID, id string, roles []Correction) (schema.Source, error) {
	return s.change(ctx, accountID, id, func(source schema.Source) (schema.Source, error) {
		return s.correct(ctx, source, roles)
	})
}

// change stores what fn makes of a dataset's source. Fn is called again with the newer
// source if another change came first.
func (s *Service) change(ctx context.Context, accountID, id string, fn func(schema.Source) (schema.Source, error)) (schema.Source, error) {
	for {
		d, source, err := s.find(ctx, accountID, id)
		if err != nil {
			return schema.Source{}, err
		}
		if source, err = fn(source); err != nil {
			return schema.Source{}, err
		}
		text, err := json.Marshal(source)
		if err != nil {
			return schema.Source{}, err
		}
		err = s.store.Update(ctx, func(tx *db.Tx) error { return tx.CorrectDataset(d, string(text)) })
		if !errors.Is(err, db.ErrStale) {
			return source, err
		}
	}
}

// Correction gives a column a role.
type Correction struct {
	Heading string
	Role    schema.Role
}

func (s *Service) correct(ctx context.Context, source schema.Source, roles []Correction) (schema.Source, error) {
	source, err := s.recognized(ctx, source)
	if err != nil {
		return schema.Source{}, err
	}
	for _, c := range roles {
		if source, err = WithRole(source, c.Heading, c.Role); err != nil {
			return schema.Source{}, err
		}
	}
	file, err := s.Open(source)
	if err != nil {
		return schema.Source{}, err
	}
	source, _, err = withReversals(ctx, file, source)
	if err == nil {
		source, err = Span(ctx, file, source)
	}
	return source, errors.Join(err, file.Close())
}
