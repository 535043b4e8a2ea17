package views

import "time"

func connectionsSample(frame Frame, zone *time.Location) Connections {
	open := Asked{
		ID: "conn_1", Merchant: "shop@example.com", Status: "approved", Key: "stock-taking", Detail: "/console/connections?open=conn_1",
		Requested: "read_inventory", Granted: "read_inventory", MerchantID: "acct_1", CreatedAt: morning, ExpiresAt: morning.AddDate(0, 0, 7),
		ApprovedAt: morning.Add(time.Hour), ReadAt: morning.AddDate(0, 0, 1), Current: true,
	}
	waits := Asked{ID: "conn_2", Merchant: "max@example.com", Status: "pending", Key: "svc_live_…aB3d", Detail: "/console/connections?open=conn_2", Requested: "read_inventory", CreatedAt: morning}
	return Connections{Frame: frame, Rows: []Asked{waits, open}, Open: &open, Close: "/console/connections", Pager: Pager{Older: "/console/connections?before=conn_1"}, Zone: zone}
}

func chargesMadeSample(frame Frame, zone *time.Location) Charges {
	open := Made{
		ID: "ch_1", Merchant: "shop@example.com", Amount: "£12.50", Description: "Two bags of coffee", Status: "pending", Env: "live", Key: "till",
		Detail: "/console/charges?open=ch_1", Link: "https://pay.corner.example/charges/ch_1", CreatedAt: morning, ExpiresAt: morning.AddDate(0, 0, 7), Current: true,
	}
	paid := Made{ID: "ch_2", Merchant: "max@example.com", Amount: "£9.00", Status: "paid", InAPI: "approved", Env: "test", Key: "till", Detail: "/console/charges?open=ch_2", CreatedAt: morning, ApprovedAt: morning}
	return Charges{Frame: frame, Made: []Made{open, paid}, Open: &open, Close: "/console/charges", Zone: zone, Statuses: []Option{{"/console/charges", "All", true}, {"/console/charges?status=approved", "Paid", false}}, Pager: Pager{Newest: "/console/charges"}}
}

func trySample(frame Frame) Try {
	return Try{
		Frame: frame, Groups: []TryGroup{{"Charges", []Option{{"createCharge", "POST /api/v1/charges", true}}}}, ID: "createCharge", Method: "POST", Path: "/api/v1/charges",
		Name: "Ask a merchant for a payment", Access: "key", Description: "Not billed.", Price: "free", Body: `{"currency": "gbp"}`, Curl: "curl", Base: "https://api.corner.example",
		Fields: []TryField{
			{Name: "dry_run", In: "query", Type: "one of 0, 1", Description: "With `1` nothing is stored.", Value: "1", Choices: []string{"0", "1"}},
			{Name: "id", In: "path", Type: "string", Description: "Of a webhook.", Required: true},
		},
		Schema:  `{"type":"object","required":["currency"],"properties":{"currency":{"type":"string","description":"ISO 4217"},"scopes":{"type":"array","items":{"type":"string","enum":["read_inventory"]}}}}`,
		Example: `{"charge": {}}`, Key: "svc_test_x", Reference: "/docs/charges#createCharge",
	}
}
