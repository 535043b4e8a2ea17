package read

import (
	"errors"
	"fmt"
	"strings"

	"svc/server/ask/plan"
	"svc/server/schema"
)

func (r *reading) refuse(reason Reason, format string, args ...any) error {
	return &Refusal{Reason: reason, Sentence: fmt.Sprintf(format, args...), Source: r.x.source}
}

// missingRole returns the refusal that there is no column for a role.
func (r *reading) missingRole(role schema.Role) error {
	return r.refuse(Missing, "There is no column of %s in %s, so this cannot be answered.", rolePlural[role], r.x.source.Name)
}

var rolePlural = map[schema.Role]string{
	schema.Product: "products", schema.SKU: "product codes", schema.Category: "categories", schema.Brand: "brands",
	schema.Supplier: "suppliers", schema.Customer: "customers", schema.Segment: "customer segments", schema.Region: "regions",
	schema.State: "states", schema.City: "cities", schema.Country: "countries", schema.Store: "stores", schema.Channel: "sales channels",
	schema.Payment: "payment methods", schema.Staff: "staff", schema.Status: "order status", schema.Day: "dates", schema.DayTime: "times of day",
	schema.Order: "order numbers", schema.Stock: "stock on hand", schema.Reorder: "reorder points", schema.Price: "prices",
}

// unfit returns the refusal of a plan that cannot be computed.
func (r *reading) unfit(err error) error {
	var missing *plan.Missing
	if errors.As(err, &missing) {
		return r.refuse(Missing, "%s cannot be computed: %s does not have %s.", plan.Capitalized(missing.What), r.x.source.Name, missing.Needs)
	}
	return r.refuse(Unknown, "What this asks for cannot be put together from %s, so it cannot be answered.", r.x.source.Name)
}

// refuseUnanswerable refuses, before anything is computed, what the data have nothing on.
func (r *reading) refuseUnanswerable() error {
	for _, m := range r.marks {
		switch m.kind {
		case unavailable:
			return r.refuse(Missing, "There is nothing in %s about %s, so this cannot be answered.", r.x.source.Name, m.arg)
		case forecast:
			return r.refuse(Forecast, "This asks about days that have not come. The data do not hold them, and no forecast is made from them.")
		case period:
			if m.span.ahead {
				return r.refuse(Forecast, "The data in %s end on %s: there are no figures for %s yet.", r.x.source.Name, r.c.today.Format("2 January 2006"), m.text)
			}
		case unit, series:
			if _, ok := r.timeHeading(m.part); !ok && m.text != "time" {
				return r.missingTime(m.part)
			}
		case trend, versusEarlier:
			if r.x.source.Last == "" {
				return r.missingRole(schema.Day)
			}
		case dim:
			if _, ok := r.columnOf(m); !ok && !r.isIncidental(m) {
				return r.missingRole(m.role)
			}
		}
	}
	if len(r.unknown) > 2 && 2*len(r.unknown) > len(r.ts) && !r.has(metric, sell) {
		return r.refuse(Unknown, "Only questions in English are understood, and “%s” are no words that are known here, so this cannot be answered.",
			strings.Join(r.unknown, "”, “"))
	}
	if len(r.unknown) > 0 {
		return r.refuse(Unknown, "Nothing in %s is called “%s”, and it is not a word that is known here, so this cannot be answered.",
			r.x.source.Name, strings.Join(r.unknown, "”, “"))
	}
	return nil
}

// missingTime returns the refusal of days without a time, or of no days at all.
func (r *reading) missingTime(p plan.Part) error {
	if _, ok := r.x.role(schema.Day); ok && p == plan.Hour {
		return r.refuse(Missing, "The days in %s have no time of the day, so this cannot be answered by hour.", r.x.source.Name)
	}
	return r.missingRole(schema.Day)
}

// isIncidental reports whether a word for people is only incidental to a figure: "how much
// did customers spend".
func (r *reading) isIncidental(m mark) bool {
	if m.role != schema.Customer || r.has(howMany, by, who) {
		return false
	}
	return m.text == "people" || r.has(howMuch, average, perOrder, share) && !r.has(which)
}
