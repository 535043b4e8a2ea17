package insight

import (
	"testing"

	"svc/server/schema"
)

// A till that has only begun does not hide a longer file, unless the file ended more than toldDays
// before the newest sale.
func TestIsRather(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		file, till [2]string // first and last day
		isTill     bool
	}{
		"BegunToday":      {[2]string{"2025-01-01", "2026-03-01"}, [2]string{"2026-03-02", "2026-03-02"}, false},
		"FileAWeekOld":    {[2]string{"2025-01-01", "2026-02-23"}, [2]string{"2026-03-01", "2026-03-02"}, false},
		"FileEndedBefore": {[2]string{"2025-01-01", "2026-02-22"}, [2]string{"2026-03-01", "2026-03-02"}, true},
		"TillTellsEnough": {[2]string{"2025-01-01", "2026-03-01"}, [2]string{"2026-02-01", "2026-03-02"}, true},
		"FileIsNewer":     {[2]string{"2025-01-01", "2026-03-05"}, [2]string{"2026-01-01", "2026-03-02"}, false},
	} {
		file := schema.Source{ID: "ds_file", First: c.file[0], Last: c.file[1]}
		till := schema.Source{ID: "sales", First: c.till[0], Last: c.till[1]}
		if got := isRather(till, file); got != c.isTill {
			t.Errorf("%s: till rather than file: %v", name, got)
		}
		if got := isRather(file, till); got == c.isTill {
			t.Errorf("%s: file rather than till: %v", name, got)
		}
	}
}
