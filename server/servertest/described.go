package servertest

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/legacy"

	"svc/embed"
)

// described finds the operations of embed/openapi.yaml.
var described = sync.OnceValues(func() (routers.Router, error) {
	document, err := openapi3.NewLoader().LoadFromData(embed.OpenAPI)
	if err != nil {
		return nil, err
	}
	return legacy.NewRouter(document)
})

// describedHost is that of the server in openapi.yaml.
const describedHost = "127.0.0.1:8080"

// compared counts the answers that were compared with the description, by operation, status
// and code. Further ones of a kind are not, since each takes a millisecond.
var compared sync.Map

const comparedOfAKind = 5

// checkDescribed checks that an answer of an operation of openapi.yaml is as the description
// says: its status is there, with its headers and every field of its body. It does not check
// answers of other paths and methods, nor 431, which any path can have, nor the replay of
// another endpoint's answer (B1).
func (a Answer) checkDescribed(t testing.TB, r *http.Request) {
	t.Helper()
	router, err := described()
	if err != nil {
		t.Errorf("openapi.yaml: %v", err)
		return
	}
	other := a.Status == http.StatusRequestHeaderFieldsTooLarge || a.Header.Get("Idempotency-Mismatch") != ""
	if other || r.Method == http.MethodHead || strings.HasSuffix(r.URL.Path, "/") { // the router takes "/x/" for "/x"
		return
	}
	asked := r.Clone(context.Background())
	asked.URL = &url.URL{Scheme: "http", Host: describedHost, Path: r.URL.Path, RawQuery: r.URL.RawQuery}
	asked.Host, asked.Body = describedHost, http.NoBody
	route, params, err := router.FindRoute(asked)
	if err != nil {
		return
	}
	kind := route.Method + " " + route.Path + " " + strconv.Itoa(a.Status) + " " + a.Code()
	seen, _ := compared.LoadOrStore(kind, make(chan struct{}, comparedOfAKind))
	select {
	case seen.(chan struct{}) <- struct{}{}:
	default:
		return
	}
	err = openapi3filter.ValidateResponse(context.Background(), &openapi3filter.ResponseValidationInput{
		RequestValidationInput: &openapi3filter.RequestValidationInput{Request: asked, Route: route, PathParams: params},
		Status:                 a.Status,
		Header:                 a.Header,
		Body:                   io.NopCloser(bytes.NewReader(a.Body)),
		Options:                &openapi3filter.Options{IncludeResponseStatus: true},
	})
	if err != nil {
		t.Errorf("%s: not as embed/openapi.yaml describes it: %v\nanswer: %s", kind, err, a.Body)
	}
}
