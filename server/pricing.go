package server

import (
	"encoding/json"
	"net/http"

	"svc/db"
	"svc/server/gate"
	"svc/server/web"
)

// pricingDocument is seed 2.5. Its numbers come from the tables that the gate
// counts and bills by.
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

func newPricingDocument() pricingDocument {
	document := pricingDocument{
		Plans:    map[db.Plan]planLimits{},
		Currency: "usd_cents",
		Note:     "Only successful calls are billed; a 4xx, 429, 5xx or replayed call costs nothing.",
	}
	for _, p := range gate.Prices {
		document.Endpoints = append(document.Endpoints, endpointPrice{Path: p.Path, PriceCents: p.Cents})
	}
	for _, p := range db.Plans {
		document.Plans[p] = planLimits(p.Limits())
	}
	return document
}

// pricing is public, free and not counted; a key sent with it is ignored (A6).
func (a *App) pricing(w *web.Response, _ *http.Request) error {
	return w.JSON(http.StatusOK, newPricingDocument())
}

// healthz says that the process lives.
func (a *App) healthz(w *web.Response, _ *http.Request) error {
	w.Quiet = true
	return w.JSON(http.StatusOK, json.RawMessage(`{"status":"ok"}`))
}
