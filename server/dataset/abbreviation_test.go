package dataset

import "testing"

// Words of headings that are cut short are those of known headings; others stay as they are.
func TestInFull(t *testing.T) {
	for short, want := range map[string]string{
		"svr": "server", "supplr": "supplier", "stk": "stock", "sls": "sales", "chkd": "checked", "whsl": "wholesale", "cst": "cost", "cnt": "count",
		"dlvry": "delivery", "prc": "price", "itm": "item", "brnch": "branch", "grss": "gross", "pmts": "payments",
		"pos": "", "abv": "", "mpg": "", "size": "", "qty": "", "gst": "", "a": "", "": "",
	} {
		if got := inFull(short); got != want {
			t.Errorf("inFull(%q) = %q, want %q", short, got, want)
		}
	}
}
