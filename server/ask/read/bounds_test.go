package read_test

import "testing"

// TestAfterIsNoBound asks questions in which "after" stands behind a number, and compares with nothing.
func TestAfterIsNoBound(t *testing.T) {
	for _, question := range []string{"lessons over 10 after january", "more than 50 after march", "which pupils had more than 3 after january"} {
		if _, err := ask(t, question, lessons("Lesson No")); err != nil {
			t.Logf("%s: %v", question, err) // it may be refused, but must not panic
		}
	}
}
