package push_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"svc/embed"
	"svc/server/servertest"
)

// warned returns the warnings of an outcome, one a line.
func (o outcome) warned() string {
	var all strings.Builder
	for _, w := range o.Warnings {
		fmt.Fprintf(&all, "%d %s %s\n", w.Index, w.Field, w.Warning)
	}
	return all.String()
}

// A field that is not known is ignored, and named once for its type.
func TestPushWarnsOfUnknownFields(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	sale := s.sale("s1", coffees(1), object{"sku": "C", "quantity": 1, "price": 4.5, "discont": 1, "tax_rate": 20})
	sale["customer"] = "c1"
	other := s.sale("s2", object{"sku": "C", "quantity": 1, "price": 4.5, "discont": 1})
	mug := object{"type": "product", "external_id": "m", "name": "Mug", "stok_qty": 4, "Price": 7, "reorderPoint": 3, "counted_at": "today", strings.Repeat("é", 200): 1}
	row := object{"visitors": 4, "day": "2026-02-01"}
	got := s.push(sale, other, mug, object{"type": "customer", "name": "Zoë", "mail": "zoe@example.com"}, row, object{"type": "customer", "nam": "x"})
	s.wants(got, "6 received, 5 inserted, 0 updated, 0 unchanged, 1 rejected; 5 name: is required")
	want := "0 customer is no field of a sale and was ignored; did you mean customer_id?\n" +
		"0 items[1].discont is no field of an item of a sale and was ignored; did you mean discount?\n" +
		"0 items[1].tax_rate is no field of an item of a sale and was ignored\n" +
		"2 Price is no field of a product and was ignored; did you mean price?\n" +
		"2 reorderPoint is no field of a product and was ignored; did you mean reorder_point?\n" +
		"2 stok_qty is no field of a product and was ignored; did you mean stock_qty?\n" +
		"2 " + strings.Repeat("é", 50) + " is no field of a product and was ignored\n" +
		"3 mail is no field of a customer and was ignored; did you mean email?\n" +
		"5 nam is no field of a customer and was ignored; did you mean name?\n"
	if got.warned() != want {
		t.Errorf("warnings:\n%swant:\n%s", got.warned(), want)
	}
	bad := object{"type": "customer", "external_id": "c9", "name": "Zoë", "email": "bad"}
	if o := s.push(bad, object{"type": "customer", "name": "Ann", "email": "ann@example.com"}); o.warned() != "0 email is not an e-mail address, and was stored as it is\n" {
		t.Errorf("a bad e-mail address: %q", o.warned())
	}
	if o := s.push(s.sale("s3", coffees(1))); o.Warnings != nil {
		t.Errorf("without unknown fields: %v", o.Warnings)
	}

	many := object{"type": "customer", "name": "Ann"}
	for i := range 300 {
		many[fmt.Sprint("x", i)] = i
	}
	if o := s.push(many, many); len(o.Warnings) != 100 {
		t.Errorf("%d warnings, want 100", len(o.Warnings))
	}
}

// No field that openapi.yaml describes is unknown.
func TestPushKnowsItsFields(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	document, err := openapi3.NewLoader().LoadFromData(embed.OpenAPI)
	if err != nil {
		t.Fatal(err)
	}
	all := []any{s.sale("s1", coffees(1))} // of which none is refused
	for name, kind := range map[string]string{"PushedSale": "sale", "PushedProduct": "product", "PushedCustomer": "customer", "PushedPurchaseOrder": "purchase_order"} {
		record := object{}
		for field, schema := range document.Components.Schemas[name].Value.Properties {
			if record[field] = nil; schema.Value.Items == nil || field != "items" {
				continue
			}
			item := object{}
			for field := range schema.Value.Items.Value.Properties {
				item[field] = nil
			}
			record[field] = []any{item}
		}
		record["type"] = kind
		all = append(all, record)
	}
	answer := s.Call(t, http.MethodPost, path, object{"records": all}, servertest.WithKey(s.key))
	var o outcome
	if err := json.Unmarshal(answer.Body, &o); err != nil || answer.Status != 200 || len(o.Warnings) > 0 {
		t.Errorf("%d %s %v", answer.Status, answer.Body, err)
	}
}
