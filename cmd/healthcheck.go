package cmd

import (
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/spf13/cobra"

	"svc/server"
)

func newHealthcheck() *cobra.Command {
	var addr string
	c := &cobra.Command{
		Use:   "healthcheck",
		Short: "Ask a running server whether it lives (for containers)",
		Args:  exactly(),
		RunE: func(c *cobra.Command, _ []string) error {
			host, port, err := server.SplitAddr(addr)
			if err != nil {
				return err
			}
			if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
				host = "127.0.0.1" // listening everywhere includes here
			}
			client := &http.Client{Timeout: 5 * time.Second}
			resp, err := client.Get("http://" + net.JoinHostPort(host, port) + "/healthz")
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
	c.Flags().StringVar(&addr, "addr", "127.0.0.1:8080", "where the server listens")
	return c
}
