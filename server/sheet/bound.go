package sheet

import (
	"context"
	"io"

	"svc/server/fairqueue"
)

// Bound returns a reader that reads as long as ctx lasts, and lets other heavy work interrupt
// that of ctx.
func Bound(ctx context.Context, r io.ReaderAt) io.ReaderAt { return boundReader{r, ctx} }

type boundReader struct {
	io.ReaderAt
	ctx context.Context
}

func (b boundReader) ReadAt(p []byte, off int64) (int, error) {
	if err := fairqueue.Yield(b.ctx); err != nil {
		return 0, err
	}
	return b.ReaderAt.ReadAt(p, off)
}
