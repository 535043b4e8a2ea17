package server

import (
	"cmp"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/net/idna"

	"svc/server/certificate"
	"svc/server/emailaddr"
)

// TLS makes the server speak HTTPS itself, with certificates that it gets and renews by ACME.
type TLS struct {
	// Domains are the names that lead to this machine; links begin with the first. Empty: the
	// server speaks plain HTTP.
	Domains []string
	// Directory is the address of the CA's directory; default: that of Let's Encrypt.
	Directory string
	// HTTPAddr is where http:// is led to https://, and the CA is answered, too; default: port
	// 80 beside Addr, if it is free.
	HTTPAddr string
}

func (t TLS) on() bool { return len(t.Domains) > 0 }

// checked returns the settings with their domains as DNS has them, each once.
func (t TLS) checked() (TLS, error) {
	switch {
	case !t.on() && t.Directory != "":
		return t, configError("--acme-directory: needs --tls-domain")
	case !t.on() && t.HTTPAddr != "":
		return t, configError("--http-addr: needs --tls-domain")
	case !t.on():
		return t, nil
	}
	var domains []string
	for _, text := range t.Domains {
		name, ok := domainName(text)
		if !ok {
			return t, configError("--tls-domain: must be names like shop.example.com, with commas between and without https://, port or *; %q is no domain name", text)
		}
		if !slices.Contains(domains, name) {
			domains = append(domains, name)
		}
	}
	t.Domains = domains
	t.Directory = cmp.Or(t.Directory, certificate.LetsEncrypt)
	if u, err := url.Parse(t.Directory); err != nil || u.Scheme != "https" || u.Host == "" || u.User != nil {
		return t, configError("--acme-directory: must be like %s", certificate.LetsEncrypt)
	}
	if t.HTTPAddr != "" {
		if _, _, err := SplitAddr("--http-addr", t.HTTPAddr); err != nil {
			return t, err
		}
	}
	return t, nil
}

// aDomain matches a name with a dot in it whose last part is no number, as that of an IP
// address is. No CA gives the public a certificate for other names.
var aDomain = regexp.MustCompile(`^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]([a-z0-9-]{0,61}[a-z0-9])$`)

// domainName returns a domain in lower case, and one of other letters in Punycode.
func domainName(text string) (name string, ok bool) {
	name, err := idna.Lookup.ToASCII(strings.TrimSuffix(strings.TrimSpace(text), "."))
	name = strings.ToLower(name)
	return name, err == nil && len(name) <= 253 && aDomain.MatchString(name)
}

// checkSecure refuses links that the server of the domains does not answer.
func (c Config) checkSecure() error {
	if !c.TLS.on() {
		return nil
	}
	for _, link := range []struct{ flag, url string }{{"--base-url", c.BaseURL}, {"--console-url", c.ConsoleURL}} {
		if !strings.HasPrefix(link.url, "https://") {
			return configError("%s: must begin with https:// with --tls-domain", link.flag)
		}
	}
	return nil
}

// secureURL returns the address to which http://host is led: of the API or the pages if the
// host is theirs, of another domain of ours, or of the API.
func (c Config) secureURL(host string) string {
	name := hostname("http://" + host)
	for _, address := range []string{c.BaseURL, c.ConsoleURL} {
		if hostname(address) == name {
			return address
		}
	}
	if slices.Contains(c.TLS.Domains, name) {
		return "https://" + name
	}
	return c.BaseURL
}

// hostname returns the host of an address in lower case, without its port; empty: it has none.
func hostname(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return strings.ToLower(u.Hostname())
}

// operatorMail is how to reach the operator by e-mail; empty: another way, or none.
func (c Config) operatorMail() string {
	if emailaddr.IsOne(c.OperatorContact) {
		return c.OperatorContact
	}
	return ""
}
