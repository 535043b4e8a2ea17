package cmd

import (
	"cmp"
	"crypto/tls"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/spf13/cobra"

	"svc/server"
)

func newHealthcheck() *cobra.Command {
	var addr string
	var domains []string
	c := &cobra.Command{
		Use:   "healthcheck",
		Short: "Ask a running server whether it lives (for containers)",
		Args:  exactly(),
		RunE: func(c *cobra.Command, _ []string) error {
			address, err := healthAddress(addr, len(domains) > 0)
			if err != nil {
				return err
			}
			// The server is this machine's own, and may have no certificate yet.
			transport := &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true, ServerName: "127.0.0.1"}} // an address is not sent as a name
			client := &http.Client{Timeout: 5 * time.Second, Transport: transport}
			resp, err := client.Get(address)
			if err != nil {
				return fmt.Errorf("no healthy server: %w", err)
			}
			defer resp.Body.Close()
			if resp.StatusCode != http.StatusOK {
				return fmt.Errorf("no healthy server: status %d", resp.StatusCode)
			}
			return show(c, map[string]string{"status": "ok"}, "ok")
		},
	}
	c.Flags().StringVar(&addr, "addr", "", "where the server listens (default 127.0.0.1:8080, or :443 with --tls-domain)")
	tlsDomainFlag(c.Flags(), &domains, "the server has --tls-domain: ask it over TLS")
	return c
}

// healthAddress returns what to ask of a server that listens at addr.
func healthAddress(addr string, secure bool) (string, error) {
	scheme, byDefault := "http", "127.0.0.1:8080"
	if secure {
		scheme, byDefault = "https", "127.0.0.1:443"
	}
	host, port, err := server.SplitAddr("--addr", cmp.Or(addr, byDefault))
	if err != nil {
		return "", err
	}
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = "127.0.0.1" // listening everywhere includes here
	}
	return scheme + "://" + net.JoinHostPort(host, port) + "/healthz", nil
}
