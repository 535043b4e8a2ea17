package tell

import (
	"fmt"
	"slices"

	"svc/server/ask/plan"
	"svc/server/schema"
)

// isBySupplier reports whether the groups are products with their suppliers before them.
func (v *verbalizer) isBySupplier() bool {
	if len(v.p.By) != 2 {
		return false
	}
	c, _ := plan.Column(v.s, v.p.By[0].Column)
	return c.Role == schema.Supplier
}

// ordersBySupplier returns the text of a list of what to order, a sentence for each supplier,
// the one of the most urgent product first.
func (v *verbalizer) ordersBySupplier(state string) string {
	c, _ := plan.Column(v.s, v.p.By[1].Column)
	text := fmt.Sprintf("%s%s %s %s.", counting(v.r.Count, noun(c)), v.otherFilters(), agreeing(v.r.Count, "is", "are"), state)
	var suppliers []string
	products := map[string][]string{}
	for _, g := range named(v.toOrder()) {
		supplier := labelText(v.p.By[0], g.Labels[0])
		if !slices.Contains(suppliers, supplier) {
			suppliers = append(suppliers, supplier)
		}
		products[supplier] = append(products[supplier], v.left(g))
	}
	for _, s := range suppliers {
		text += fmt.Sprintf(" %s: %s.", s, Joined(products[s]))
	}
	if v.r.Count > maxNamed {
		text += fmt.Sprintf(" The table has %s more.", count(v.r.Count-maxNamed))
	}
	return text + v.onItsWay()
}
