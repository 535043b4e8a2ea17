package dataset

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"svc/db"
	"svc/server/schema"
	"svc/server/sheet"
)

// Service keeps the datasets of accounts, and describes their shops' own tables.
type Service struct{ store *db.DB }

// Config are the dependencies of a Service.
type Config struct{ Store *db.DB }

// New returns a service.
func New(c Config) *Service { return &Service{store: c.Store} }

const (
	// keptDatasets is how many datasets of an account are kept, so that older ones stay
	// available.
	keptDatasets = 3
	// abandonedAfter is the age at which an incomplete import is removed.
	abandonedAfter = 24 * time.Hour
)

// File is a table to import.
type File struct {
	Name    string
	Content io.ReaderAt
	Size    int64        // bytes
	Limits  sheet.Limits // zero value: no limit of size or rows
}

// Import makes a dataset of a file. Once complete, it is what ask reads (H3). The error is
// a *sheet.Error if the file is at fault; after any error the datasets are as before.
func (s *Service) Import(ctx context.Context, accountID string, f File) (schema.Source, Report, error) {
	var d db.Dataset
	err := s.store.Update(ctx, func(tx *db.Tx) (err error) {
		d, err = tx.BeginDataset(accountID, f.Name)
		return err
	})
	if err != nil {
		return schema.Source{}, Report{}, err
	}
	source, report, err := s.build(ctx, d, f)
	if err != nil {
		return schema.Source{}, Report{}, errors.Join(err, s.drop(ctx, d))
	}
	return source, report, nil
}

// build writes the file and marks the dataset's row as ready. If it stops before that, the
// row stays importing, and Sweep removes it with its files.
func (s *Service) build(ctx context.Context, d db.Dataset, f File) (schema.Source, Report, error) {
	source, report, err := Build(ctx, f.Name, f.Content, f.Size, f.Limits, s.store.DataTempPath(d))
	if err != nil {
		return schema.Source{}, Report{}, err
	}
	source.ID = d.ID
	text, err := json.Marshal(source)
	if err == nil {
		err = db.PublishDataFile(s.store.DataTempPath(d), s.store.DataPath(d))
	}
	if err != nil {
		return schema.Source{}, Report{}, errors.Join(err, db.RemoveDataFile(s.store.DataTempPath(d)))
	}
	err = s.store.Update(ctx, func(tx *db.Tx) error { return tx.ReadyDataset(d, source.Rows, string(text)) })
	return source, report, err
}

// drop removes a dataset's row and then its file, even if the caller's context has ended.
func (s *Service) drop(ctx context.Context, d db.Dataset) error {
	err := s.store.Update(context.WithoutCancel(ctx), func(tx *db.Tx) error { return tx.DropDataset(d) })
	if err != nil {
		return err
	}
	return errors.Join(db.RemoveDataFile(s.store.DataTempPath(d)), db.RemoveDataFile(s.store.DataPath(d)))
}

// Sweep removes datasets that newer ones have replaced, incomplete imports, and files
// without a row.
func (s *Service) Sweep(ctx context.Context) error {
	var spent []db.Dataset
	err := s.store.LongView(ctx, func(tx *db.Tx) (err error) {
		spent, err = tx.RemovableDatasets(keptDatasets, tx.Now().Add(-abandonedAfter))
		return err
	})
	for _, d := range spent {
		err = errors.Join(err, s.drop(ctx, d))
	}
	return errors.Join(err, s.store.SweepDataFiles(ctx))
}

// List returns the account's datasets: those being imported first, then the newest.
func (s *Service) List(ctx context.Context, accountID string) ([]db.Dataset, error) {
	return db.Read(ctx, s.store, func(tx *db.Tx) ([]db.Dataset, error) { return tx.Datasets(accountID) })
}

// Find returns the source of one of the account's datasets; with an empty id, of the
// latest that is complete. The error is db.ErrNotFound if there is none.
func (s *Service) Find(ctx context.Context, accountID, id string) (schema.Source, error) {
	_, source, err := s.find(ctx, accountID, id)
	return source, err
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
	return d, source, nil
}

// Versions returns version tokens of a dataset and of the shop; when one changes, cached
// results of Find or Shop are stale. The error is db.ErrNotFound if the account has no
// such dataset.
func (s *Service) Versions(ctx context.Context, owner db.Account, id string) (dataset, shop string, err error) {
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
	return db.OpenDataFile(s.store.DataPath(db.Dataset{ID: source.ID}))
}

// SetRoles corrects the roles of columns, all or none, by their headings (I1). An empty id
// is the latest dataset. Errors are ErrHeading and ErrRole.
func (s *Service) SetRoles(ctx context.Context, accountID, id string, roles []Correction) (schema.Source, error) {
	for {
		d, source, err := s.find(ctx, accountID, id)
		if err != nil {
			return schema.Source{}, err
		}
		if source, err = s.correct(ctx, source, roles); err != nil {
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
	for _, c := range roles {
		var err error
		if source, err = WithRole(source, c.Heading, c.Role); err != nil {
			return schema.Source{}, err
		}
	}
	file, err := s.Open(source)
	if err != nil {
		return schema.Source{}, err
	}
	source, err = Span(ctx, file, source)
	return source, errors.Join(err, file.Close())
}
