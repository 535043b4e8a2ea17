package inventory_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"svc/server/inventory"
)

// ending ends a context at a read, and counts the reads after it.
type ending struct {
	io.ReaderAt
	end         context.CancelFunc
	after, read int
}

func (e *ending) ReadAt(p []byte, off int64) (int, error) {
	if e.read++; e.read > e.after {
		e.end()
	}
	return e.ReaderAt.ReadAt(p, off)
}

// An import whose context ends stops while the file is opened or read, and changes nothing.
func TestImportEndsWithItsContext(t *testing.T) {
	var list strings.Builder
	list.WriteString("name,price\n")
	for i := range 50_000 {
		fmt.Fprintf(&list, "Tea %d,1.50\n", i)
	}
	s := newShop(t)
	whole := &ending{ReaderAt: strings.NewReader(list.String()), end: func() {}}
	file := inventory.File{Name: "list.csv", Content: whole, Size: int64(list.Len())}
	if _, err := s.Import(t.Context(), s.ben, file, true); err != nil || whole.read < 10 {
		t.Fatalf("%v after %d reads", err, whole.read)
	}
	for _, after := range []int{0, 1, whole.read / 2, whole.read - 2} {
		ctx, cancel := context.WithCancel(t.Context())
		content := &ending{ReaderAt: strings.NewReader(list.String()), end: cancel, after: after}
		file.Content = content
		if _, err := s.Import(ctx, s.anna, file, false); !errors.Is(err, context.Canceled) || content.read > after+1 {
			t.Errorf("after %d reads: %v, and %d reads in all", after, err, content.read)
		}
		cancel()
	}
	items := 0
	if err := s.Each(t.Context(), s.anna.ID, func(inventory.Entry) error { items++; return nil }); err != nil || items != 0 {
		t.Errorf("%d items, %v", items, err)
	}
}
