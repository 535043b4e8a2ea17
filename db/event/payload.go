package event

import (
	"encoding/json"
	"fmt"
	"time"
)

// Sale is the data of sale.created.
type Sale struct {
	ID         string    `json:"id"`
	ExternalID string    `json:"external_id"`
	OccurredAt time.Time `json:"occurred_at"`
	Currency   string    `json:"currency"`
	CustomerID *string   `json:"customer_id"` // the external id of the customer
	Total      int64     `json:"total"`
	ItemCount  int       `json:"item_count"` // of all items
	Items      []Line    `json:"items"`
}

// Line is an item of a sale or of a purchase order.
type Line struct {
	ProductID *string `json:"product_id"` // null if it is not in the inventory
	SKU       *string `json:"sku"`
	Name      string  `json:"name"`
	Quantity  float64 `json:"quantity"`
	Price     *int64  `json:"price,omitempty"` // of one piece; only of a sale
	CostPrice *int64  `json:"cost_price"`      // of one piece
	Amount    int64   `json:"amount"`
}

// PurchaseOrder is the data of purchase_order.received.
type PurchaseOrder struct {
	ID         string    `json:"id"`
	ExternalID string    `json:"external_id"`
	Supplier   string    `json:"supplier"`
	OrderedAt  time.Time `json:"ordered_at"`
	ReceivedAt time.Time `json:"received_at"`
	Currency   string    `json:"currency"`
	Total      int64     `json:"total"`
	ItemCount  int       `json:"item_count"` // of all items
	Items      []Line    `json:"items"`
}

// Stock is the data of stock.low.
type Stock struct {
	ProductID    string  `json:"product_id"`
	SKU          *string `json:"sku"`
	Name         string  `json:"name"`
	Unit         *string `json:"unit"`
	StockQty     float64 `json:"stock_qty"`
	ReorderPoint float64 `json:"reorder_point"`
	Reason       string  `json:"reason"` // of the move of stock: sale, count, …
}

// Pulse is the data of pulse.updated.
type Pulse struct {
	AsOf     time.Time `json:"as_of"`
	Currency string    `json:"currency"`
	Score    *int      `json:"score"` // 0 to 100; null without data
	Band     string    `json:"band"`
	Changed  []Figure  `json:"changed"`
}

// Figure is a figure of the pulse that has changed.
type Figure struct {
	Key      string   `json:"key"`
	Unit     string   `json:"unit"`
	Value    *float64 `json:"value"` // in minor units if unit is money
	Previous *float64 `json:"previous"`
}

// Alert is the data of alert.triggered.
type Alert struct {
	ID        string    `json:"id"`
	Rule      string    `json:"kind"` // stock_out, sales_drop, …
	Verdict   string    `json:"verdict"`
	Title     string    `json:"title"`
	Detail    string    `json:"detail"`
	FirstSeen time.Time `json:"first_seen"`
}

// Brief is the data of brief.ready.
type Brief struct {
	ID          string    `json:"id"`
	Period      string    `json:"period"`
	GeneratedAt time.Time `json:"generated_at"`
	Headline    string    `json:"headline"`
}

// Sync is the data of sync.completed.
type Sync struct {
	SyncID    string `json:"sync_id"`
	Source    string `json:"source"` // push, inventory_import or data_import
	Received  int    `json:"received"`
	Inserted  int    `json:"inserted"`
	Updated   int    `json:"updated"`
	Unchanged int    `json:"unchanged"`
	Rejected  int    `json:"rejected"`
}

// ChurnScan is the data of churn.scan.completed.
type ChurnScan struct {
	ScannedAt     time.Time  `json:"scanned_at"`
	Customers     int        `json:"customers"`      // with purchases enough to tell
	CustomerCount int        `json:"customer_count"` // of all who are silent
	Silent        []Customer `json:"silent"`
}

// Customer is a customer whose silence exceeds what their own rhythm makes likely (K8).
type Customer struct {
	CustomerID   string    `json:"customer_id"` // the external id
	Name         string    `json:"name"`
	LastPurchase time.Time `json:"last_purchase"`
	SilentDays   float64   `json:"silent_days"`
	LimitDays    float64   `json:"limit_days"` // the 95th percentile of their gaps
	Purchases    int       `json:"purchases"`
}

// Decode reads the data of a body of a kind.
func Decode(kind Kind, data []byte) (Payload, error) {
	read, ok := decoders[kind]
	if !ok {
		return nil, fmt.Errorf("no kind of event %q", kind)
	}
	p, err := read(data)
	if err != nil {
		return nil, fmt.Errorf("data of %s: %w", kind, err)
	}
	return p, nil
}

var decoders = map[Kind]func([]byte) (Payload, error){
	SaleCreated: decode[Sale], PurchaseOrderReceived: decode[PurchaseOrder], StockLow: decode[Stock],
	PulseUpdated: decode[Pulse], AlertTriggered: decode[Alert], BriefReady: decode[Brief],
	SyncCompleted: decode[Sync], ChurnScanCompleted: decode[ChurnScan],
}

func decode[P Payload](data []byte) (Payload, error) {
	var p P
	err := json.Unmarshal(data, &p)
	return p, err
}

func (Sale) Kind() Kind          { return SaleCreated }
func (PurchaseOrder) Kind() Kind { return PurchaseOrderReceived }
func (Stock) Kind() Kind         { return StockLow }
func (Pulse) Kind() Kind         { return PulseUpdated }
func (Alert) Kind() Kind         { return AlertTriggered }
func (Brief) Kind() Kind         { return BriefReady }
func (Sync) Kind() Kind          { return SyncCompleted }
func (ChurnScan) Kind() Kind     { return ChurnScanCompleted }

func (s Sale) length() int { return len(s.Items) }

func (s Sale) cut(n int) Payload {
	s.Items = s.Items[:n]
	return s
}

func (p PurchaseOrder) length() int { return len(p.Items) }

func (p PurchaseOrder) cut(n int) Payload {
	p.Items = p.Items[:n]
	return p
}

func (c ChurnScan) length() int { return len(c.Silent) }

func (c ChurnScan) cut(n int) Payload {
	c.Silent = c.Silent[:n]
	return c
}
