package dataset

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"svc/db"
	"svc/server/fairqueue"
	"svc/server/fault"
	"svc/server/schema"
	"svc/server/sheet"
)

// A file that comes by the console is looked at before it is used: it is kept as an upload
// (db.Upload), read as if it were imported, and shown with its first rows and what its
// columns are taken for. What the account chooses then is stored with it, and looked at
// again, until the file is used or discarded, or its time ends.

const (
	// lookTime bounds reading an upload, and its use; compareTime is the part of it for a
	// comparison with the dataset that it may be added to.
	lookTime    = 60 * time.Second
	compareTime = 25 * time.Second
	// previewRows is how many rows a preview has, previewColumns of how many columns at a
	// time, with previewCell characters of a cell.
	previewRows    = 20
	previewColumns = 40
	previewCell    = 60
	// longestFileName bounds the stored name of a file, in characters.
	longestFileName = 200
	// maxUploads is how many files of an account wait to be used; the oldest makes room.
	maxUploads = 5
)

// Choice is what an account chose for an upload.
type Choice struct {
	Target string                 // id of the dataset that it changes; empty: a new one
	Name   string                 // of the new one; empty: the file's
	Sheet  string                 // see File
	Dates  string                 // see File
	Roles  map[string]schema.Role // corrections by heading; schema.None: nothing
	From   int                    // first column that the preview shows, from 0
}

// Preview is what the use of an upload would make.
type Preview struct {
	Columns  []PreviewColumn // of them, previewColumns at most
	From     int             // the first of these, from 0
	All      int             // columns of the file
	Dates    string          // order of days that can be read in two ways, as they are read; empty: there are none
	Cells    [][]string      // of these columns: the first rows, as they were typed
	Rows     int64
	First    string // period, YYYY-MM-DD; empty without days
	Last     string
	Kind     schema.Kind
	Revenue  string // like "£1,204.50"; empty if there is none
	Made     string // what the revenue is made of, if no column has it
	Warnings []Warning
	Notes    []string // sentences
	Sheets   []sheet.Brief
	Fits     []string // names of the datasets that it could be added to
	// Problem is why the file cannot be read as it was chosen; then there is nothing above.
	Problem string
	// Of a dataset that it changes: its rows, what would be added, or why nothing can be.
	Before     int64
	Merged     Merged
	AddProblem string
	Uncounted  bool // the comparison took too long, so Merged is not known
}

// PreviewColumn is a column of a preview.
type PreviewColumn struct {
	Heading   string
	Holds     string // in words, like "numbers"
	Role      schema.Role
	Corrected bool
	Roles     []schema.Role // that it can have
}

// Uploaded is an upload with what was chosen and what that would make.
type Uploaded struct {
	db.Upload
	Choice  Choice
	Preview Preview
}

// Keep stores a file beside the account's other uploads, of which there are maxUploads at most,
// and looks at it. The error is a *fault.Error if the file is at fault; then it is not kept.
func (s *Service) Keep(ctx context.Context, accountID, name string, content []byte) (u Uploaded, err error) {
	if len(content) == 0 {
		return u, fault.Invalid("file", "is empty, or none was chosen")
	}
	if int64(len(content)) > Console.Bytes {
		return u, fault.Invalid("file", fmt.Sprintf("must have at most %d MB; split it, or ask the people who run this server to import it", Console.Bytes/1_000_000))
	}
	name = strings.TrimSpace(strings.Map(printable, name))
	name = string([]rune(name)[:min(len([]rune(name)), longestFileName)])
	u.Upload, err = db.Write(ctx, s.store, func(tx *db.Tx) (db.Upload, error) {
		return tx.KeepUpload(accountID, cmp.Or(name, "file"), int64(len(content)))
	})
	if err != nil {
		return u, err
	}
	if err = s.store.WriteUpload(u.Upload, content); err == nil {
		u, err = s.Look(ctx, accountID, u.ID, Choice{}, true)
	}
	if err == nil && u.Preview.Problem != "" && len(u.Preview.Sheets) < 2 {
		err = fault.Invalid("file", u.Preview.Problem)
	}
	if err == nil {
		err = s.makeRoom(ctx, accountID) // last: a file that is refused takes no other's place
	}
	if err != nil {
		return u, errors.Join(err, s.Discard(context.WithoutCancel(ctx), accountID, u.ID))
	}
	return u, nil
}

// makeRoom removes the oldest of the account's uploads that are too many.
func (s *Service) makeRoom(ctx context.Context, accountID string) error {
	all, err := s.Uploads(ctx, accountID)
	for _, old := range all[min(maxUploads, len(all)):] {
		err = errors.Join(err, s.Discard(ctx, accountID, old.ID))
	}
	return err
}

// Uploads lists the account's uploads, the newest first.
func (s *Service) Uploads(ctx context.Context, accountID string) ([]db.Upload, error) {
	return db.Read(ctx, s.store, func(tx *db.Tx) ([]db.Upload, error) { return tx.Uploads(accountID) })
}

// Upload finds one of the account's uploads, as it was last looked at.
func (s *Service) Upload(ctx context.Context, accountID, id string) (u Uploaded, err error) {
	u.Upload, err = db.Read(ctx, s.store, func(tx *db.Tx) (db.Upload, error) { return tx.Upload(accountID, id) })
	if err != nil {
		return u, err
	}
	err = errors.Join(json.Unmarshal([]byte(cmp.Or(u.Upload.Choice, "{}")), &u.Choice), json.Unmarshal([]byte(cmp.Or(u.Upload.Preview, "{}")), &u.Preview))
	return u, err
}

// Discard removes one of the account's uploads, if there is one.
func (s *Service) Discard(ctx context.Context, accountID, id string) error {
	err := s.store.Update(ctx, func(tx *db.Tx) error { return tx.DropUpload(accountID, id) })
	if errors.Is(err, db.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	return s.store.RemoveUpload(db.Upload{ID: id})
}

// Look looks at an upload as it is chosen, and stores both. With proposes, the choice of the
// dataset is made: the first that the file can be added to, or the one with its name. The
// error is db.ErrNotFound if there is no such upload, or no such dataset.
func (s *Service) Look(ctx context.Context, accountID, id string, c Choice, proposes bool) (u Uploaded, err error) {
	if u, err = s.Upload(ctx, accountID, id); err != nil {
		return u, err
	}
	u.Choice = c
	err = s.withUpload(ctx, u.Upload, func(ctx context.Context, f File) error {
		u.Preview, err = s.preview(ctx, accountID, f, c)
		if u.Choice.From = u.Preview.From; err != nil || u.Preview.Problem != "" {
			return err
		}
		if proposes {
			u.Choice.Target, err = s.propose(ctx, accountID, f, u.Preview)
		}
		if err != nil || u.Choice.Target == "" {
			return err
		}
		return s.previewAdd(ctx, accountID, f, u.Choice, &u.Preview)
	})
	if err != nil {
		return u, err
	}
	return u, s.describe(ctx, &u)
}

// describe stores an upload's choice and preview.
func (s *Service) describe(ctx context.Context, u *Uploaded) error {
	choice, err := json.Marshal(u.Choice)
	if err != nil {
		return err
	}
	preview, err := json.Marshal(u.Preview)
	if err != nil {
		return err
	}
	u.Upload.Choice, u.Upload.Preview = string(choice), string(preview)
	return s.store.Update(ctx, func(tx *db.Tx) error { return tx.DescribeUpload(u.Upload) })
}

// withUpload calls fn with the file of an upload, within lookTime, in a turn which other heavy
// work interrupts. Accounts take turns.
func (s *Service) withUpload(ctx context.Context, u db.Upload, fn func(context.Context, File) error) error {
	bounded, cancel := context.WithTimeout(ctx, lookTime)
	defer cancel()
	done, err := s.files.Acquire(bounded, fairqueue.Files, u.AccountID)
	if err == nil {
		err = s.queue.Do(bounded, fairqueue.Files, u.AccountID, func(ctx context.Context) error {
			return s.withFile(u, func(file *os.File) error {
				return fn(ctx, File{Name: u.Name, Content: file, Size: u.Size, Limits: Console})
			})
		})
		done()
	}
	if bounded.Err() != nil && ctx.Err() == nil {
		return &fault.Error{
			Code: fault.Unavailable, Field: "file", Err: err, RetryAfter: time.Minute,
			Message: "takes too long to read just now; try again later, or split it",
		}
	}
	return err
}

func (s *Service) withFile(u db.Upload, fn func(*os.File) error) error {
	file, err := s.store.OpenUpload(u)
	if errors.Is(err, db.ErrNotFound) {
		return &fault.Error{Code: fault.Gone, Field: "file", Message: "is no longer kept here; send it again"}
	}
	if err != nil {
		return err
	}
	return errors.Join(fn(file), file.Close())
}

// corrections returns the choice's roles, in the order of the headings.
func (c Choice) corrections() (all []Correction) {
	for heading, role := range c.Roles {
		all = append(all, Correction{heading, cmp.Or(role, "none")})
	}
	slices.SortFunc(all, func(a, b Correction) int { return cmp.Compare(a.Heading, b.Heading) })
	return all
}

// preview reads the file alone.
func (s *Service) preview(ctx context.Context, accountID string, f File, c Choice) (p Preview, err error) {
	f.Sheet, f.Dates, f.Roles, f.DryRun = c.Sheet, c.Dates, c.corrections(), true
	f.Dataset = "preview " + db.NewID("", time.Time{}) // a name that is free
	owner, err := db.Read(ctx, s.store, func(tx *db.Tx) (db.Account, error) { return tx.Account(accountID) })
	if err != nil {
		return p, err
	}
	f.look = func(ctx context.Context, file *db.DataFile, source schema.Source) error {
		source.Currency = cmp.Or(source.Currency, owner.Profile.Currency)
		if p.From = c.From; p.From < 0 || p.From >= len(source.Columns) {
			p.From = 0
		}
		return p.fill(ctx, file, source)
	}
	source, report, err := s.Import(ctx, accountID, f)
	if fileErr, ok := errors.AsType[*sheet.Error](err); ok {
		p = Preview{Problem: "cannot be used: " + fileErr.Error()}
		p.Sheets = s.sheetsOf(ctx, f)
		return p, nil
	}
	if err != nil {
		return p, err
	}
	p.describe(source, report)
	p.Dates = cmp.Or(report.Dates, c.Dates)
	return p, nil
}

// sheetsOf lists the tables of a file of which the one that is chosen cannot be read.
func (s *Service) sheetsOf(ctx context.Context, f File) []sheet.Brief {
	f.Sheet = ""
	file, err := f.openSheet(ctx, f.choice())
	if err != nil {
		return nil // the first problem is what counts
	}
	defer file.Close() // it is only read
	return sheet.Briefs(file.Tables())
}

// propose returns the id of the dataset that a file probably belongs to: one that has its
// columns, or else its name; empty if there is none.
func (s *Service) propose(ctx context.Context, accountID string, f File, p Preview) (string, error) {
	name, err := f.datasetName()
	if err != nil {
		return "", nil // the account will name it
	}
	for _, wanted := range append(slices.Clone(p.Fits), name) {
		d, _, err := s.find(ctx, accountID, wanted)
		if errors.Is(err, db.ErrNotFound) {
			continue
		}
		if err != nil {
			return "", err
		}
		if err = s.checkOwn(ctx, f, d); err == nil {
			return d.ID, nil
		}
	}
	return "", nil
}

// previewAdd describes what the file would add to the chosen dataset.
func (s *Service) previewAdd(ctx context.Context, accountID string, f File, c Choice, p *Preview) error {
	d, _, err := s.find(ctx, accountID, c.Target)
	if err != nil {
		return err
	}
	f.Sheet, f.Dates, f.Roles, f.DryRun, f.Mode, f.Dataset = c.Sheet, c.Dates, c.corrections(), true, Add, d.Name
	bounded, cancel := context.WithTimeout(ctx, compareTime)
	defer cancel()
	_, report, err := s.Import(bounded, accountID, f)
	if p.Uncounted = err != nil && bounded.Err() != nil && ctx.Err() == nil; p.Uncounted {
		err = nil
	}
	p.Before, p.Merged, p.AddProblem = d.Rows, report.Merged, ""
	if text := inConsole(err); text != "" {
		p.AddProblem, err = text, nil
	}
	return err
}

// inConsole returns why a file cannot be used, without the flags of the command; "" for
// other errors.
func inConsole(err error) string {
	text := ""
	if fileErr, ok := errors.AsType[*sheet.Error](err); ok {
		text = fileErr.Error()
	} else if refused, ok := errors.AsType[*fault.Error](err); ok && refused.Code != fault.Internal {
		text = refused.Message
	}
	return strings.NewReplacer(" with --name", "", "; import all of its files again, the first with --replace", "; replace its rows").Replace(text)
}

// UseUpload makes the choice of an upload come true, and removes the upload. With Create the
// dataset is new, else it is the chosen one. The error is a *fault.Error if the file or the
// name is at fault, and db.ErrNotFound if there is no such upload or dataset.
func (s *Service) UseUpload(ctx context.Context, accountID, id string, c Choice, mode Mode) (source schema.Source, report Report, err error) {
	u, err := s.Upload(ctx, accountID, id)
	if err != nil {
		return source, report, err
	}
	err = s.withUpload(ctx, u.Upload, func(ctx context.Context, f File) error {
		f.Sheet, f.Dates, f.Roles, f.Mode, f.Dataset, f.undoable = c.Sheet, c.Dates, c.corrections(), mode, c.Name, true
		f.upload = id
		if mode != Create {
			d, _, err := s.find(ctx, accountID, c.Target)
			if err != nil {
				return err
			}
			f.Dataset = d.Name
		} else if err := s.checkFree(ctx, accountID, f); err != nil {
			return err
		}
		source, report, err = s.Import(ctx, accountID, f)
		return err
	})
	if text := inConsole(err); text != "" {
		refused, ok := errors.AsType[*fault.Error](err)
		if !ok || refused.Field == "" {
			err = fault.Invalid("file", "cannot be used: "+text)
		}
	}
	if err != nil {
		return source, report, err
	}
	return source, report, s.Discard(context.WithoutCancel(ctx), accountID, id)
}

// UsedIn returns the id of the account's dataset that an upload was imported into. The error is
// db.ErrNotFound if there is none.
func (s *Service) UsedIn(ctx context.Context, accountID, upload string) (id string, err error) {
	all, err := s.list(ctx, accountID)
	if err != nil {
		return "", err
	}
	for _, d := range all {
		if d.Ready && slices.ContainsFunc(d.Files, func(f ImportedFile) bool { return f.Upload == upload }) {
			return d.ID, nil
		}
	}
	return "", fmt.Errorf("used upload: %w", db.ErrNotFound)
}

// checkFree refuses the name of a dataset that there is.
func (s *Service) checkFree(ctx context.Context, accountID string, f File) error {
	name, err := f.datasetName()
	if err != nil {
		return err
	}
	_, _, err = s.find(ctx, accountID, name)
	switch {
	case errors.Is(err, db.ErrNotFound):
		return nil
	case err != nil:
		return err
	}
	return fault.Invalid("name", fmt.Sprintf("is that of a dataset that you have; type another, or choose %q above to add to it or to replace it", name))
}
