package dataset

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"svc/db"
	"svc/db/event"
	"svc/server/fault"
	"svc/server/schema"
	"svc/server/sheet"
)

// Mode is what an import does to the dataset of its name.
type Mode int

// The modes.
const (
	Create  Mode = iota // the name must be free
	Add                 // the rows are merged into the dataset's
	Replace             // the rows take the place of the dataset's
)

// File is a table to import.
type File struct {
	Name    string
	Content io.ReaderAt
	Size    int64        // bytes
	Limits  sheet.Limits // zero value: no limit of size or rows
	Dataset string       // name of the dataset; empty: the file's name without its extension
	Mode    Mode
	Sheet   string       // worksheet or table that is read (see sheet.Choice); empty: the one that fits best
	DryRun  bool         // the import is described but not stored
	Dates   string       // order of days that prove none: DayFirst or MonthFirst; empty: as the dataset's, else as is likely
	Roles   []Correction // made after those that the dataset has; one that does not fit is a warning

	pushed *db.PushedSet // what the file has, if it is that of the pushed rows
	// look is called with the rows once they are built; nil: nobody looks.
	look func(context.Context, *db.DataFile, schema.Source) error
	// undoable keeps what the dataset was, see Undo.
	undoable bool
	upload   string // id of the upload that the file is; may be empty
}

// longestDatasetName bounds the names of datasets, in characters.
const longestDatasetName = 100

// datasetName returns the name of the file's dataset.
func (f File) datasetName() (string, error) {
	name := strings.TrimSpace(f.Dataset)
	if f.Dataset == "" {
		runes := []rune(strings.TrimSpace(strings.Map(printable, baseName(f.Name))))
		name = strings.TrimSpace(string(runes[:min(len(runes), longestDatasetName)]))
	}
	switch {
	case name == "":
		return "", fault.Invalid("name", "must not be empty")
	case utf8.RuneCountInString(name) > longestDatasetName:
		return "", fault.Invalid("name", fmt.Sprintf("must have at most %d characters", longestDatasetName))
	case strings.Map(printable, name) != name:
		return "", fault.Invalid("name", "must be one line of text")
	case strings.HasPrefix(strings.ToLower(name), "ds_"):
		return "", fault.Invalid("name", "must not begin with ds_, as ids do")
	}
	return name, nil
}

func printable(r rune) rune {
	if !unicode.IsPrint(r) {
		return -1
	}
	return r
}

// importing is an import under way.
type importing struct {
	file    File
	name    string
	target  db.Dataset    // the dataset that changes; zero if it is new
	source  schema.Source // of the target
	files   []ImportedFile
	pending db.Dataset // its file is built
	home    string     // currency of the account
	locale  locale
}

// Import makes a dataset of a file, adds the file to one, or replaces the rows of one.
// Roles that were corrected stay. Unless another is in use, the dataset is what ask reads
// then (H3). The error is a *sheet.Error if the file is at fault, and a *fault.Error if the
// name is; after any error, and wherever it is cut off, the datasets are as before.
func (s *Service) Import(ctx context.Context, accountID string, f File) (schema.Source, Report, error) {
	i, err := s.prepare(ctx, accountID, f)
	if err != nil {
		return schema.Source{}, Report{}, err
	}
	i.pending, err = db.Write(ctx, s.store, func(tx *db.Tx) (db.Dataset, error) { return tx.BeginDataset(accountID, i.name) })
	if err != nil {
		return schema.Source{}, Report{}, err
	}
	release, err := s.store.ClaimDataset(i.pending)
	if err != nil {
		return schema.Source{}, Report{}, errors.Join(err, s.abandon(ctx, i.pending))
	}
	source, report, err := s.run(ctx, i)
	return source, report, errors.Join(err, release())
}

// run builds the file of an import that has begun and publishes it, or removes what is left
// of the import.
func (s *Service) run(ctx context.Context, i *importing) (schema.Source, Report, error) {
	f := i.file
	source, report, err := s.build(ctx, i)
	if err == nil && f.look != nil {
		err = s.lookAt(ctx, i, source)
	}
	isSame := f.Mode == Add && report.Merged.Added+report.Merged.Updated == 0
	if err == nil && !f.DryRun && !isSame {
		if source, err = s.publish(ctx, i, source, report); err == nil {
			return source, report, nil
		}
	}
	if err = errors.Join(err, s.abandon(ctx, i.pending)); err != nil {
		return schema.Source{}, Report{}, err
	}
	return source, report, nil
}

// lookAt shows the built rows of an import.
func (s *Service) lookAt(ctx context.Context, i *importing, source schema.Source) error {
	file, err := db.OpenDataFile(s.store.DataTempPath(i.pending))
	if err != nil {
		return err
	}
	return errors.Join(i.file.look(ctx, file, source), file.Close())
}

// prepare finds the dataset that a file changes.
func (s *Service) prepare(ctx context.Context, accountID string, f File) (*importing, error) {
	name, err := f.datasetName()
	if err != nil {
		return nil, err
	}
	if err := s.Sweep(ctx); err != nil { // earlier imports may have left files, and some have been killed
		return nil, err
	}
	i := &importing{file: f, name: name}
	account, err := db.Read(ctx, s.store, func(tx *db.Tx) (db.Account, error) {
		account, err := tx.Account(accountID)
		i.locale = localeOf(account, tx.Now())
		return account, err
	})
	if err != nil {
		return nil, err
	}
	i.home, i.locale.chosen = account.Profile.Currency, f.Dates
	i.target, i.source, err = s.find(ctx, accountID, name)
	isNew := errors.Is(err, db.ErrNotFound)
	switch {
	case err != nil && !isNew:
		return nil, err
	case isNew && f.Mode != Create:
		return nil, refusal(fault.NotFound, "there is no dataset %q to change%s; without --add and --replace it is made", name, s.offer(ctx, accountID, f))
	case isNew:
		return i, nil
	case f.Mode == Create:
		return nil, nameTaken(i.target.Name)
	}
	if err := s.checkOwn(ctx, f, i.target); err != nil {
		return nil, err
	}
	i.name = i.target.Name
	if i.files, err = filesOf(i.target); f.Mode == Add && len(i.files) > 0 {
		i.locale.chosen = cmp.Or(f.Dates, i.files[0].Dates)
	}
	return i, err
}

// checkOwn refuses a file for the dataset of the pushed rows, which would replace it again.
func (s *Service) checkOwn(ctx context.Context, f File, target db.Dataset) error {
	if f.pushed != nil {
		return nil
	}
	set, err := s.pushedSet(ctx, target.AccountID)
	if err == nil && set.DatasetID == target.ID {
		err = refusal(fault.Conflict, "the dataset %q has the rows of POST /data/push; give the file another --name", target.Name)
	}
	return err
}

func refusal(code fault.Code, format string, args ...any) error {
	return &fault.Error{Code: code, Message: fmt.Sprintf(format, args...)}
}

func nameTaken(name string) error {
	return refusal(fault.Conflict, "there is a dataset %q already; use --add to add the file to it, --replace to exchange its rows, or --name for a dataset of its own", name)
}

// offer names the datasets that a file fits, for the refusal of its own name.
func (s *Service) offer(ctx context.Context, accountID string, f File) string {
	file, err := f.openSheet(ctx, f.choice())
	if err != nil {
		return "" // the refusal is what counts
	}
	defer file.Close() // it is only read
	fits, err := s.fitting(ctx, accountID, file.Headings())
	if err != nil || len(fits) == 0 {
		return ""
	}
	return fmt.Sprintf(", but the file fits %s", strings.Join(fits, ", "))
}

// build writes the file of an import, which nothing refers to yet.
func (s *Service) build(ctx context.Context, i *importing) (source schema.Source, report Report, err error) {
	if i.file.Mode != Add {
		return s.buildWith(ctx, i, nil, i.file.choice())
	}
	base, err := s.Open(i.source)
	if err != nil {
		return schema.Source{}, Report{}, err
	}
	defer base.Close() // it is only read
	known, err := rawHeadings(ctx, base)
	if errors.Is(err, db.ErrNotFound) {
		return schema.Source{}, Report{}, refusal(fault.Conflict,
			"the dataset %q was made by an earlier version, which did not keep the rows as they were typed; import all of its files again, the first with --replace", i.name)
	}
	if err != nil {
		return schema.Source{}, Report{}, err
	}
	return s.buildWith(ctx, i, base, i.file.choice(required(known, i.files)...))
}

// buildWith builds with the rows of the file, added to those of base unless that is nil.
func (s *Service) buildWith(ctx context.Context, i *importing, base *db.DataFile, choice sheet.Choice) (source schema.Source, report Report, err error) {
	f := i.file
	file, err := f.openSheet(ctx, choice)
	if err != nil {
		return schema.Source{}, Report{}, err
	}
	defer file.Close() // it is only read
	in := input{name: f.Name, sheet: file, refuseText: true, home: i.home, locale: i.locale}
	if base != nil {
		in.home = cmp.Or(i.source.Currency, i.home)
		if in.merge, err = newMerge(ctx, &in, base, i.source, i.files); err != nil {
			return schema.Source{}, Report{}, err
		}
	}
	source, report, err = build(ctx, in, append(correctionsFor(i.source, f), f.Roles...), s.store.DataTempPath(i.pending))
	if err == nil && f.Mode == Add {
		err = checkCurrency(ctx, in, i.source, source, &report)
	}
	if err != nil {
		return schema.Source{}, Report{}, err
	}
	if day, ok := source.ByRole(schema.Day); ok && f.Mode == Add && !hasAny(i.source, schema.Day) {
		report.Warnings = append(report.Warnings, place{}.warning(day.Heading, "the rows of earlier files have no day, so figures by time are without them"))
	}
	source.ID, source.Name = i.pending.ID, i.name
	keepWords(&source, i.source.Words, &report)
	if i.target.ID != "" {
		source.ID = i.target.ID
		report.Before = i.target.Rows
	} else if report.Fits, err = s.fitting(ctx, i.pending.AccountID, file.Headings()); err != nil {
		return schema.Source{}, Report{}, err
	}
	return source, report, nil
}

// publish makes the file of an import that of its dataset. If it stops before the last
// step, the pending row stays importing, and Sweep removes it with its files.
func (s *Service) publish(ctx context.Context, i *importing, source schema.Source, report Report) (schema.Source, error) {
	files, past := i.files, pastOf(i.files)
	if i.file.Mode == Replace {
		files, past = nil, replaced(i.files, i.file.pushed != nil)
	}
	files = append(files, ImportedFile{Name: i.file.Name, Rows: report.FileRows, At: i.pending.CreatedAt.UnixMilli(), Comma: report.hasComma, Upload: i.file.upload})
	files[0].Width, files[0].Past, files[0].Dates = cmp.Or(files[0].Width, report.width), past, i.locale.chosen
	text, err := json.Marshal(source)
	if err != nil {
		return source, err
	}
	list, err := json.Marshal(files)
	if err != nil {
		return source, err
	}
	if err := db.PublishDataFile(s.store.DataTempPath(i.pending), s.store.DataPath(i.pending)); err != nil {
		return source, err
	}
	content := db.DatasetContent{Rows: source.Rows, Source: string(text), Files: string(list)}
	if i.file.pushed != nil {
		content.At = i.file.pushed.PushedAt
	}
	if i.file.undoable {
		content.Change = map[Mode]db.Change{Add: db.RowsAdded, Replace: db.RowsReplaced}[i.file.Mode]
	}
	err = s.store.Update(ctx, func(tx *db.Tx) error { return i.commit(tx, content, report) })
	switch {
	case errors.Is(err, db.ErrConflict):
		err = nameTaken(i.name)
	case errors.Is(err, db.ErrStale):
		err = refusal(fault.Conflict, "the dataset %q was changed meanwhile; import the file again", i.name)
	}
	source.File = i.pending.File
	return source, err
}

// commit makes the dataset ready, and emits sync.completed for a file (K8). A push has
// emitted its own.
func (i *importing) commit(tx *db.Tx, content db.DatasetContent, report Report) error {
	id, err := i.target.ID, error(nil)
	if id == "" {
		id = i.pending.ID
		err = tx.ReadyDataset(i.pending, content)
	} else {
		err = tx.ChangeDataset(i.target, i.pending, content)
	}
	if err != nil {
		return err
	}
	if i.file.pushed != nil {
		return tx.MarkBuilt(*i.file.pushed, id)
	}
	sync := event.Sync{SyncID: i.pending.ID, Source: "data_import", Received: report.FileRows, Inserted: report.FileRows}
	if m := report.Merged; i.file.Mode == Add {
		sync.Inserted, sync.Updated, sync.Unchanged = m.Added, m.Updated, m.Known
	}
	_, err = tx.Emit(i.pending.AccountID, sync)
	return err
}

// correctionsFor returns the corrections of a dataset that still apply to a file. A file
// that replaces the rows may have other columns.
func correctionsFor(source schema.Source, f File) []Correction {
	if f.Mode == Create {
		return nil
	}
	return correctionsOf(source)
}

// fitting returns the names of the account's datasets that a file with these headings can be
// added to.
func (s *Service) fitting(ctx context.Context, accountID string, headings []string) (names []string, err error) {
	all, err := s.list(ctx, accountID)
	if err != nil {
		return nil, err
	}
	for _, d := range all {
		if !d.Ready {
			continue
		}
		known, err := s.headings(ctx, d.Dataset)
		if errors.Is(err, db.ErrNotFound) {
			continue // an earlier version made it, or it was removed meanwhile
		}
		if err != nil {
			return nil, err
		}
		files, err := filesOf(d.Dataset)
		if err != nil {
			return nil, err
		}
		if len(lacking(required(known, files), headings)) == 0 && hasDay(known) == hasDay(headings) {
			names = append(names, d.Name)
		}
	}
	return names, nil
}

// hasDay reports whether one of the headings is that of days. Days are of no use in a
// dataset whose other rows have none.
func hasDay(headings []string) bool {
	return slices.ContainsFunc(headings, func(title string) bool { return hintOf(title) == schema.Day })
}

// headings returns the headings of a dataset's files.
func (s *Service) headings(ctx context.Context, d db.Dataset) ([]string, error) {
	file, err := db.OpenDataFile(s.store.DataPath(d))
	if err != nil {
		return nil, err
	}
	known, err := rawHeadings(ctx, file)
	return known, errors.Join(err, file.Close())
}
