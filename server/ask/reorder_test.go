package ask_test

import (
	"strings"
	"testing"

	"svc/db"
	"svc/server/inventory"
	"svc/server/servertest"
)

// An item without a reorder point has the default one (K8) for questions, too, and at its
// point it is to be ordered, as in the inventory and the pulse.
func TestReorderUsesTheDefaultPoint(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	email := s.Account(t, "shop@example.com", "business", 0)
	_, key := s.Key(t, email, db.Live, db.AccountMode)
	owner, err := s.App.Accounts.Find(t.Context(), email)
	if err != nil {
		t.Fatal(err)
	}
	add := func(name, stock, point string) {
		edit := inventory.Edit{Name: &name, Stock: &stock}
		if point != "" {
			edit.ReorderPoint = &point
		}
		if _, err := s.App.Inventories.Add(t.Context(), owner, edit); err != nil {
			t.Fatal(err)
		}
	}
	add("Coffee", "5", "")
	add("Tea", "6", "")
	add("Milk", "10", "10")
	add("Sugar", "4", "3")
	a := s.Call(t, "POST", "/api/v1/ask", map[string]any{"question": "What should we reorder?"}, servertest.WithKey(key))
	a.Expect(t, 200, "")
	answer, _ := a.Field(t, "answer").(string)
	for name, low := range map[string]bool{"Coffee": true, "Tea": false, "Milk": true, "Sugar": false} {
		if strings.Contains(answer, name) != low {
			t.Errorf("%s: to be ordered is %t: %s", name, low, answer)
		}
	}
}
