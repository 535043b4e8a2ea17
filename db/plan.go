package db

// Plan is what an account's keys may use (seed 8.1).
type Plan string

const (
	Free     Plan = "free"
	Growth   Plan = "growth"
	Business Plan = "business"
)

// Unlimited is a monthly quota without an end, as the pricing document shows it.
const Unlimited = -1

// Limits of one key: calls a calendar month (or Unlimited) and calls a minute.
type Limits struct {
	Month  int64
	Minute int64
}

// Plans in the order in which they are offered.
var Plans = []Plan{Free, Growth, Business}

var limits = map[Plan]Limits{
	Free:     {Month: 100, Minute: 5},
	Growth:   {Month: 10_000, Minute: 60},
	Business: {Month: Unlimited, Minute: 120},
}

// Limits returns the plan's limits.
func (p Plan) Limits() Limits { return limits[p] }
