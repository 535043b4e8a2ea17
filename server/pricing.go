package server

import (
	"encoding/json"
	"net/http"

	"svc/db"
	"svc/server/web"
)

// pricingDocument is seed 2.5. Its numbers are those by which the gate counts and bills.
type pricingDocument struct {
	Endpoints []endpointPrice        `json:"endpoints"`
	Plans     map[db.Plan]planLimits `json:"plans"`
	Currency  string                 `json:"currency"`
	Note      string                 `json:"note"`
}

type endpointPrice struct {
	Path       string `json:"path"`
	PriceCents int64  `json:"price_cents"`
}

type planLimits struct {
	Month  int64 `json:"month"`
	Minute int64 `json:"minute"`
}

func newPricingDocument(billed []route) pricingDocument {
	document := pricingDocument{
		Plans:    map[db.Plan]planLimits{},
		Currency: "usd_cents",
		Note:     "Only successful calls are billed; a 4xx, 429, 5xx or replayed call costs nothing.",
	}
	for _, r := range billed {
		document.Endpoints = append(document.Endpoints, endpointPrice{Path: r.pattern, PriceCents: r.terms.PriceCents})
	}
	for _, p := range db.Plans {
		document.Plans[p] = planLimits(p.Limits())
	}
	return document
}

// pricing answers with the prices of the billed routes. It is public, free and not
// counted; a key sent with it is ignored (A6).
func pricing(billed []route) web.Handler {
	document := newPricingDocument(billed)
	return func(w *web.Response, _ *http.Request) error { return w.JSON(http.StatusOK, document) }
}

// healthz answers as long as the process runs.
func healthz(w *web.Response, _ *http.Request) error {
	w.Quiet = true
	return w.JSON(http.StatusOK, json.RawMessage(`{"status":"ok"}`))
}
