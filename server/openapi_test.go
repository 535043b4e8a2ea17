package server

import (
	"bytes"
	"context"
	"encoding/base64"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/legacy"

	"svc/db"
	"svc/db/dbtest"
	"svc/embed"
	"svc/server/account"
)

func loadOpenAPI(t *testing.T) *openapi3.T {
	t.Helper()
	document, err := openapi3.NewLoader().LoadFromData(embed.OpenAPI)
	if err != nil {
		t.Fatal(err)
	}
	if err := document.Validate(context.Background()); err != nil {
		t.Fatal(err)
	}
	return document
}

// openapi.yaml and the mount have the same routes, except those of pages.
func TestOpenAPIHasEveryRoute(t *testing.T) {
	dbtest.Sequential(t)
	document := loadOpenAPI(t)
	app := benchApp(t, filepath.Join(t.TempDir(), "svc.db"))
	defer app.Close()

	described := map[string]bool{}
	for path, item := range document.Paths.Map() {
		for method := range item.Operations() {
			described[method+" "+path] = true
		}
	}
	variable := regexp.MustCompile(`:(\w+)`)
	for _, r := range app.routes() {
		if r.page != nil || r.pattern == "/static/:file" {
			continue
		}
		name := r.method + " " + variable.ReplaceAllString(r.pattern, "{$1}")
		if !described[name] {
			t.Errorf("%s is mounted but not described", name)
		}
		delete(described, name)
	}
	for name := range described {
		t.Errorf("%s is described but not mounted", name)
	}
}

// Real answers match openapi.yaml field by field, and each status that it has for an operation
// is answered, except those of unprovoked.
func TestOpenAPIDescribesTheAnswers(t *testing.T) {
	dbtest.Sequential(t)
	document := loadOpenAPI(t)
	router, err := legacy.NewRouter(document)
	if err != nil {
		t.Fatal(err)
	}
	app := benchApp(t, filepath.Join(t.TempDir(), "svc.db"))
	defer app.Close()
	live, test, generic := openAPIKeys(t, app)
	answered := answerWebhooks(t, app, router)
	answerRefusals(t, app, router, answered)

	for _, call := range []struct {
		name, method, path, key, body string
		status                        int
	}{
		{"Pricing", "GET", "/api/v1/pricing", "", "", 200},
		{"Description", "GET", "/openapi.json", "", "", 200},
		{"Healthy", "GET", "/healthz", "", "", 200},
		{"Ready", "GET", "/readyz", "", "", 200},
		{"Connect", "POST", "/api/v1/connections", generic, `{"merchant_email":"shop@example.com"}`, 200},
		{"ConnectNobody", "POST", "/api/v1/connections", generic, `{"merchant_email":"shop"}`, 400},
		{"Connections", "GET", "/api/v1/connections", generic, "", 200},
		{"Fixture", "POST", "/api/v1/connections", test, `{"merchant_email":"shop@example.com","scopes":["read_inventory"]}`, 200},
		{"Fixtures", "GET", "/api/v1/connections", test, "", 200},
		{"Charge", "POST", "/api/v1/charges", test, `{"merchant_email":"shop@example.com","amount_cents":100,"description":"x"}`, 200},
		{"ChargeTooLittle", "POST", "/api/v1/charges", generic, `{"merchant_email":"shop@example.com","amount_cents":99,"description":"x"}`, 400},
		{"ChargeWithoutKey", "POST", "/api/v1/charges", "", `{}`, 401},
		{"Charges", "GET", "/api/v1/charges", test, "", 200},
		{"Ask", "POST", "/api/v1/ask", test, `{"question":"What did we sell last month?"}`, 200},
		{"AskAtItsPath", "POST", "/ask", test, `{"question":"What did we sell last month?"}`, 200},
		{"AskNothing", "POST", "/api/v1/ask", test, `{"question":""}`, 400},
		{"AskNothingAtItsPath", "POST", "/ask", test, `{}`, 400},
		{"Scan", "POST", "/api/v1/scan", test, `{"image":"AAAA"}`, 200},
		{"ScanNothing", "POST", "/api/v1/scan", generic, `{}`, 400},
		{"ScanWithoutFunds", "POST", "/api/v1/scan", generic, scanPhoto(t), 402},
		{"Push", "POST", "/api/v1/data/push", test, pushBody, 200},
		{"PushShortPath", "POST", "/data/push", test, pushBody, 200},
		{"PushNothingGood", "POST", "/api/v1/data/push", test, `{"records":[{}]}`, 400},
		{"PushNothing", "POST", "/data/push", test, `{}`, 400},
		{"PushGenericKey", "POST", "/api/v1/data/push", generic, pushBody, 403},
		{"Alerts", "GET", "/alerts", test, "", 200},
		{"AlertsV1", "GET", "/api/v1/alerts", test, "", 200},
		{"AlertsOfGeneric", "GET", "/alerts", generic, "", 403},
		{"FXRisk", "GET", "/tools/fx-risk?base=gbp&quote=usd&amount=1", generic, "", 200},
		{"FXRiskV1", "GET", "/api/v1/tools/fx-risk?base=EUR&quote=usd&amount=10.5&confidence=0.99&horizon_days=5", test, "", 200},
		{"FXRiskOfOneCurrency", "GET", "/tools/fx-risk?base=gbp&quote=gbp&amount=1", test, "", 400},
		{"LandedCost", "GET", "/tools/landed-cost?goods_value=100&currency=gbp&duty_rate=4", generic, "", 200},
		{"LandedCostV1", "GET", "/api/v1/tools/landed-cost?goods_value=100&currency=gbp&duty_rate=4&incoterm=DDP&vat_rate=20", test, "", 200},
		{"FXRiskOfNothing", "GET", "/api/v1/tools/fx-risk", test, "", 400},
		{"LandedCostAtItsPath", "GET", "/tools/landed-cost", test, "", 400},
		{"LandedCostOfNothing", "GET", "/api/v1/tools/landed-cost", generic, "", 400},
		{"Pulse", "GET", "/pulse", test, "", 200},
		{"PulseV1", "GET", "/api/v1/pulse", test, "", 200},
		{"PulseOfGeneric", "GET", "/pulse", generic, "", 403},
		{"Brief", "GET", "/brief", test, "", 200},
		{"BriefV1", "GET", "/api/v1/brief", test, "", 200},
		{"NoStripe", "POST", "/webhooks/stripe", "", `{}`, 503},
		{"TestKey", "POST", benchSend, test, benchBody, 200},
		{"LowBalance", "POST", benchSend, live, benchBody, 200},
		{"InsufficientFunds", "POST", benchSend, live, benchBody, 402},
		{"BadPhone", "POST", benchSend, live, `{"phone":"1"}`, 400},
		{"NoKey", "POST", benchSend, "", benchBody, 401},
		{"GenericKey", "POST", benchSend, generic, benchBody, 403},
		{"Fourth", "POST", benchSend, live, benchBody, 402},
		{"Fifth", "POST", benchSend, live, benchBody, 402},
		{"RateLimited", "POST", benchSend, live, benchBody, 429},
	} {
		t.Run(call.name, func(t *testing.T) {
			request := httptest.NewRequest(call.method, "http://127.0.0.1:8080"+call.path, strings.NewReader(call.body))
			request.Header.Set("Content-Type", "application/json")
			request.Header.Set("X-Api-Key", call.key)
			answer := httptest.NewRecorder()
			app.Handler().ServeHTTP(answer, request)
			if answer.Code != call.status {
				t.Fatalf("status %d, want %d: %s", answer.Code, call.status, answer.Body)
			}
			checkAnswer(t, router, request, answer)
		})
		answered.add(call.method, call.path, call.status)
	}
	for path, item := range document.Paths.Map() {
		for method, operation := range item.Operations() {
			for status := range operation.Responses.Map() {
				if name := method + " " + path + " " + status; !answered[name] && !unprovoked(name) {
					t.Errorf("%s is described, and no row gets it", name)
				}
			}
		}
	}
}

// answers are those that were checked: method, path of the description and status.
type answers map[string]bool

func (a answers) add(method, path string, status int) {
	path, _, _ = strings.Cut(path, "?")
	a[fmt.Sprintf("%s %s %d", method, path, status)] = true
}

// unprovoked reports whether a status is not asked for here: that of a fault of ours, of a
// provider that fails, of what needs a merchant's approval, and of Stripe's events. Every answer that the kit of package servertest
// gets is compared with the description, too.
func unprovoked(name string) bool {
	return strings.HasSuffix(name, " 500") || strings.HasSuffix(name, " 502") ||
		strings.HasPrefix(name, "POST /webhooks/stripe ") || name == "POST /api/v1/scan 422" || name == "POST /api/v1/connections 409" || name == "GET /readyz 503" ||
		name == "POST /api/v1/webhooks/{id}/deliveries/{delivery}/resend 409"
}

// scanPhoto is a body of scan with a picture.
func scanPhoto(t *testing.T) string {
	t.Helper()
	photo, err := fs.ReadFile(embed.Static(), "coffee.jpg")
	if err != nil {
		t.Fatal(err)
	}
	return `{"image":"` + base64.StdEncoding.EncodeToString(photo) + `"}`
}

const pushBody = `{"records":[{"type":"sale","external_id":"1","occurred_at":"2026-03-01T10:00:00Z","items":[{"name":"Tea","quantity":1,"price":2.5,"tax":0.5}]},5]}`

// openAPIKeys makes a live key with five calls a minute and credit for one send, and two
// keys of another account with calls to spare.
func openAPIKeys(t *testing.T, app *App) (live, test, generic string) {
	t.Helper()
	ctx := context.Background()
	const email, spare = "openapi@example.com", "spare@example.com"
	key := func(owner string, env db.Env, mode db.Mode) string {
		_, secret, err := app.Accounts.CreateKey(ctx, account.NewKey{Account: owner, Env: string(env), Mode: string(mode)})
		if err != nil {
			t.Fatal(err)
		}
		return string(secret)
	}
	for owner, plan := range map[string]db.Plan{email: db.Free, spare: db.Business} {
		if _, err := app.Accounts.Create(ctx, account.NewAccount{Email: owner, Plan: string(plan)}); err != nil {
			t.Fatal(err)
		}
	}
	live = key(email, db.Live, db.AccountMode)
	test, generic = key(spare, db.Test, db.AccountMode), key(spare, db.Live, db.GenericMode)
	if _, err := app.Accounts.Credit(ctx, email, 3, ""); err != nil {
		t.Fatal(err)
	}
	if err := app.Accounts.SetLowBalance(ctx, email, 2); err != nil {
		t.Fatal(err)
	}
	return live, test, generic
}

func checkAnswer(t *testing.T, router routers.Router, request *http.Request, answer *httptest.ResponseRecorder) {
	t.Helper()
	route, params, err := router.FindRoute(request)
	if err != nil {
		t.Fatal(err)
	}
	err = openapi3filter.ValidateResponse(context.Background(), &openapi3filter.ResponseValidationInput{
		RequestValidationInput: &openapi3filter.RequestValidationInput{Request: request, Route: route, PathParams: params},
		Status:                 answer.Code,
		Header:                 answer.Header(),
		Body:                   io.NopCloser(bytes.NewReader(answer.Body.Bytes())),
		Options:                &openapi3filter.Options{IncludeResponseStatus: true},
	})
	if err != nil {
		t.Errorf("%v\nanswer: %s", err, answer.Body)
	}
}
