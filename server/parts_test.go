package server_test

import (
	"testing"

	"svc/server"
	"svc/server/carrier"
	"svc/server/servertest"
)

// The operator reads what the server does with messages, also where no provider is set.
func TestPartsNameTheProviderInUse(t *testing.T) {
	t.Parallel()
	s := servertest.New(t, func(c *server.Config) { c.Messaging = carrier.Settings{} })
	_, operator := s.Member(t, servertest.Boss) // the first account
	page := operator.Get(t, "/console/operator/server")
	if !page.Says("Messages are kept, not sent") || page.Says("is refused") {
		t.Errorf("on a loopback address without a provider: %s", page.Body)
	}
}
