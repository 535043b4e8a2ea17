package dataset_test

import (
	"context"
	"errors"
	"io"
	"os"
	"testing"

	"svc/server/dataset"
	"svc/server/datatest"
)

// cancelling cancels a context at the first read, and counts the reads.
type cancelling struct {
	io.ReaderAt
	cancel context.CancelFunc
	reads  int
}

func (c *cancelling) ReadAt(p []byte, off int64) (int, error) {
	c.cancel()
	c.reads++
	return c.ReaderAt.ReadAt(p, off)
}

// An import whose context ends stops while a workbook is opened, and leaves nothing.
func TestImportStopsWhileOpening(t *testing.T) {
	d := newFixture(t)
	file, err := os.Open(datatest.Path(t, "datasets/financial_sample/Financial Sample.xlsx"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	content := &cancelling{ReaderAt: file, cancel: cancel}
	_, _, err = d.service.Import(ctx, d.owner.ID, dataset.File{Name: "sales.xlsx", Content: content, Size: info.Size()})
	if !errors.Is(err, context.Canceled) || content.reads != 1 {
		t.Errorf("got %v after %d reads, want it cancelled after one", err, content.reads)
	}
	if all, err := d.service.List(t.Context(), d.owner.ID); err != nil || len(all) != 0 || len(d.files()) != 0 {
		t.Errorf("left %+v, %v, %v", all, d.files(), err)
	}
}
