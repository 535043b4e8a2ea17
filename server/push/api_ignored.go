package push

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"svc/server/editdistance"
	"svc/server/web"
)

const (
	maxWarnings = 100
	maxShown    = 100 // bytes of the name of an unknown field
	maxMisspelt = 30  // bytes of a name that may be meant for a known one
)

// RecordWarning names a field of a record that is not known and was not read, or that holds what
// it should not. A record of one type has it once for all records of the push.
type RecordWarning struct {
	Index   int    `json:"index"` // of the first such record, from 0
	Field   string `json:"field"`
	Warning string `json:"warning"`
}

// known is what a thing of a push is called, and its fields.
type known struct {
	name   string
	fields []string
}

var (
	knownRecords = map[string]known{
		"sale":           {"a sale", fields(`type external_id occurred_at currency customer_id status items`)},
		"purchase_order": {"a purchase order", fields(`type external_id status supplier ordered_at received_at items`)},
		"customer":       {"a customer", fields(`type external_id name email phone region`)},
		// counted_at tells two records of the same stock apart, see I2.
		"product": {"a product", fields(`type external_id name sku barcodes price cost_price stock_qty unit reorder_point category counted_at`)},
	}
	knownSaleLine  = known{"an item of a sale", fields(`product_id sku barcode name quantity price cost_price discount`)}
	knownOrderLine = known{"an item of a purchase order", fields(`product_id sku barcode name quantity cost_price`)}
)

func fields(names string) []string { return strings.Fields(names) }

// look adds warnings of the fields of an object that are not known; path stands before their
// names. Unknown fields are ignored (A10), and a misspelt optional one would be so without a word.
func (p *parser) look(in web.Object, path string, k known) {
	for _, name := range slices.Sorted(maps.Keys(in.Fields)) {
		if slices.Contains(k.fields, name) {
			continue
		}
		text := fmt.Sprintf("is no field of %s and was ignored", k.name)
		if meant := nearest(name, k.fields); meant != "" && !in.Has(meant) {
			text += "; did you mean " + meant + "?"
		}
		shown := strings.ToValidUTF8(name[:min(len(name), maxShown)], "")
		p.warn(k.name+" "+name, path+shown, text)
	}
}

// warn adds a warning of a field of the record, once for all of the push that have its key.
func (p *parser) warn(key, field, text string) {
	if p.warned[key] || len(p.warnings) == maxWarnings {
		return
	}
	if p.warned == nil {
		p.warned = map[string]bool{}
	}
	p.warned[key] = true
	p.warnings = append(p.warnings, RecordWarning{Index: p.index, Field: field, Warning: text})
}

// nearest returns the field that a name most likely means: one that differs in case or by at most
// two typing mistakes, else the only one that the name begins or that begins with it. It returns
// "" if there is none, or several are as near.
func nearest(name string, all []string) (best string) {
	if len(name) > maxMisspelt {
		return ""
	}
	name = strings.ReplaceAll(strings.ToLower(name), "-", "_")
	least := cmp.Or(min(2, len(name)/3), 1) + 1
	var begun []string
	for _, field := range all {
		switch mistakes := editdistance.Runes(strings.ReplaceAll(name, "_", ""), strings.ReplaceAll(field, "_", ""), 2); {
		case mistakes < least:
			best, least = field, mistakes
		case mistakes == least:
			best = ""
		}
		if len(name) > 2 && (strings.HasPrefix(field, name) || strings.HasPrefix(name, field)) {
			begun = append(begun, field)
		}
	}
	if best == "" && len(begun) == 1 {
		best = begun[0]
	}
	return best
}
