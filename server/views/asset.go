package views

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"path"
	"strings"
)

// contentTypes are fixed, since those of mime depend on the system. With nosniff,
// browsers accept scripts and styles only with these.
var contentTypes = map[string]string{
	".css": "text/css; charset=utf-8",
	".js":  "text/javascript; charset=utf-8",
	".svg": "image/svg+xml",
	".jpg": "image/jpeg",
}

type asset struct {
	contentType string
	body        []byte
}

// assets are the static files.
type assets struct {
	byName map[string]asset  // by the name in the address, with the hash
	hashed map[string]string // svc.css → svc-<hash>.css
}

// readAssets reads every file at the root of static. A file of an unknown type is an
// error.
func readAssets(static fs.FS) (*assets, error) {
	entries, err := fs.ReadDir(static, ".")
	if err != nil {
		return nil, err
	}
	a := &assets{byName: map[string]asset{}, hashed: map[string]string{}}
	for _, entry := range entries {
		name := entry.Name()
		contentType, ok := contentTypes[path.Ext(name)]
		if !ok {
			return nil, fmt.Errorf("%s: unknown type", name)
		}
		body, err := fs.ReadFile(static, name)
		if err != nil {
			return nil, err
		}
		a.hashed[name] = hashedName(name, body)
		a.byName[a.hashed[name]] = asset{contentType, body}
	}
	return a, nil
}

func hashedName(name string, body []byte) string {
	sum := sha256.Sum256(body)
	ext := path.Ext(name)
	return strings.TrimSuffix(name, ext) + "-" + hex.EncodeToString(sum[:8]) + ext
}

// address returns the path of a file with the plain name.
func (a *assets) address(name string) (string, error) {
	hashed, ok := a.hashed[name]
	if !ok {
		return "", fmt.Errorf("no static file %s", name)
	}
	return "/static/" + hashed, nil
}
