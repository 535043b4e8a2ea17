package cmd_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"
)

// With few descriptors, more idle connections than they allow keep nobody out. The soft limit
// is raised to the hard one.
func TestServeWithFewDescriptors(t *testing.T) {
	t.Parallel()
	f := newFolder(t)
	limited := *f
	limited.binary = f.write("svc-limited", fmt.Sprintf("#!/bin/sh\nulimit -Sn 100\nulimit -Hn 256\nexec %s \"$@\"\n", f.binary))
	if err := os.Chmod(limited.binary, 0o700); err != nil {
		t.Fatal(err)
	}
	p := limited.serve()
	limits, err := os.ReadFile(fmt.Sprintf("/proc/%d/limits", p.cmd.Process.Pid))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(limits)) {
		if fields := strings.Fields(line); strings.HasPrefix(line, "Max open files") && fields[3] != "255" && fields[3] != "256" {
			t.Errorf("limits %q, want 255 or 256: Go's runtime leaves one", line)
		}
	}

	for i := range 300 {
		c, err := net.DialTimeout("tcp", strings.TrimPrefix(p.url, "http://"), 10*time.Second)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		if err := c.SetDeadline(time.Now().Add(10 * time.Second)); err != nil {
			t.Fatal(err)
		}
		_, err = io.WriteString(c, "GET /healthz HTTP/1.1\r\nHost: svc\r\n\r\n")
		if err != nil {
			t.Fatal(err)
		}
		response, err := http.ReadResponse(bufio.NewReader(c), nil)
		if err != nil || response.StatusCode != 200 {
			t.Fatalf("connection %d: %v, %v", i+1, response, err)
		}
		response.Body.Close()
	}
	if a := p.get("/healthz"); a.status != 200 {
		t.Errorf("a new connection: status %d", a.status)
	}
}
