package gate

// Price is what one successful call of an endpoint costs, in usd_cents.
type Price struct {
	Path  string
	Cents int64
}

// Prices of the endpoints that cost something (seed 1). The pricing document and
// every debit are made from this table.
var Prices = []Price{
	{Path: "/api/v1/scan", Cents: 3},
	{Path: "/api/v1/messaging/send", Cents: 2},
}

// PriceOf is the endpoint's price, 0 when it costs nothing.
func PriceOf(path string) int64 {
	for _, p := range Prices {
		if p.Path == path {
			return p.Cents
		}
	}
	return 0
}
