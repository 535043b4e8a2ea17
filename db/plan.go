package db

// Plan sets the limits of an account's keys (seed 8.1).
type Plan string

// The plans, in the order of their limits.
const (
	Free     Plan = "free"
	Growth   Plan = "growth"
	Business Plan = "business"
)

// Unlimited is a monthly quota without a limit, as the pricing document shows it.
const Unlimited = -1

// Limits are those of one key: calls per calendar month (or Unlimited) and per minute.
type Limits struct {
	Month  int64
	Minute int64
}

// Plans lists the plans in the order in which they are offered.
var Plans = []Plan{Free, Growth, Business}

var limits = map[Plan]Limits{
	Free:     {Month: 100, Minute: 5},
	Growth:   {Month: 10_000, Minute: 60},
	Business: {Month: Unlimited, Minute: 120},
}

// Limits returns the plan's limits.
func (p Plan) Limits() Limits { return limits[p] }
