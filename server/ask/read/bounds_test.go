package read_test

import "testing"

// TestAfterIsNoBound asks questions in which "after" stands behind a number. They panicked.
func TestAfterIsNoBound(t *testing.T) {
	for _, question := range []string{"lessons over 10 after january", "more than 50 after march", "which pupils had more than 3 after january"} {
		if got, err := ask(t, question, lessons("Lesson No")); err == nil && got.Certain {
			t.Errorf("%s is certain: %+v", question, got.Plan)
		}
	}
}
