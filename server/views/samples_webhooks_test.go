package views

import "time"

// webhookSamples are the pages of an account with two endpoints.
func webhookSamples(zone *time.Location) []sample {
	rows := []WebhookRow{
		{ID: "wh_1", URL: "https://till.example/events", Description: "The till", Events: "sale.created, stock.low", Enabled: true, Link: "/console/webhooks?open=wh_1"},
		{ID: "wh_2", URL: "https://old.example/", Events: "stock.low", Why: "Nothing arrived for five days, so it was disabled.", Link: "/console/webhooks?open=wh_2"},
	}
	deliveries := []DeliveryRow{
		{ID: "dlv_2", Event: "stock.low", Cause: "test", Status: "failed", Code: "500", Attempts: 1, At: morning, Link: "/console/webhooks?open=wh_1&delivery=dlv_2"},
		{ID: "dlv_1", Event: "sale.created", Cause: "event", Status: "sent", Code: "204", Attempts: 2, At: morning, Link: "/console/webhooks?open=wh_1&delivery=dlv_1"},
	}
	kinds := []Option{{Value: "sale.created", Text: "sale.created", Chosen: true}, {Value: "stock.low", Text: "stock.low"}}
	choices := []EventOption{{kinds[0], "A sale was stored"}, {kinds[1], "A product has reached its reorder point"}}
	page := func(change func(*Webhooks)) Webhooks {
		p := Webhooks{Frame: Frame{Title: "Webhooks", Section: "webhooks", Account: badge}, Rows: rows, Zone: zone}
		change(&p)
		return p
	}
	open := func(at int) *WebhookDetail {
		return &WebhookDetail{WebhookRow: rows[at], Version: "5f2c", CreatedAt: morning, Tests: kinds, Deliveries: deliveries, Pager: Pager{Older: "/console/webhooks?open=wh_1&before=dlv_1"}}
	}
	delivery := open(0)
	delivery.Delivery = &DeliveryDetail{DeliveryRow: deliveries[0], EventID: "evt_1", Duration: "12ms", Problem: "the receiver answered 500", Body: `{"type":"stock.low"}`, Answer: "oops"}
	edit := &WebhookForm{ID: "wh_1", Version: "5f2c", URL: rows[0].URL, Description: "The till", Events: choices}
	wrong := page(func(p *Webhooks) { p.Open, p.New, p.Field = open(0), edit, "url" })
	wrong.Frame = wrongly(wrong.Frame, "The url must have port 443 or 8443.")
	return []sample{
		{"webhooks", page(func(*Webhooks) {})},
		{"webhooks-open", page(func(p *Webhooks) { p.Open = open(0) })},
		{"webhooks-disabled", page(func(p *Webhooks) { p.Open = open(1) })},
		{"webhooks-delivery", page(func(p *Webhooks) { p.Open = delivery })},
		{"webhooks-new", page(func(p *Webhooks) { p.New = &WebhookForm{Ticket: "wh_3", Events: choices} })},
		{"webhooks-edit", page(func(p *Webhooks) { p.Open, p.New = open(0), edit })},
		{"webhooks-wrong", wrong},
		{"webhooks-secret", page(func(p *Webhooks) {
			p.Secret = &NewSecret{KeyID: "wh_1", Secret: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", Rotated: true, OldEndsAt: morning}
		})},
	}
}
