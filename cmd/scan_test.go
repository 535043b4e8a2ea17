package cmd_test

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"svc/server/datatest"
	"svc/server/llm/llmtest"
)

const productList = "name,sku,barcode,price,stock_qty,unit\n" +
	"Tea Cookbook,TEA-1,9781585730575,4.50,2.250,kg\n" +
	"Ground Coffee 250g,COF-250,,4.50,,\n"

// scanFolder returns a folder with photos and an account that has an inventory.
func scanFolder(t *testing.T) *folder {
	t.Helper()
	f := newFolder(t)
	f.account(owner, "growth", "100")
	f.write("products.csv", productList)
	f.ok("inventory", "import", "products.csv")
	for name, sample := range map[string]string{"tea.jpg": "ean13", "unknown.jpg": "ean8", "nothing.jpg": "nothing"} {
		f.write(name, string(datatest.Read(t, "photos/"+sample+".jpg")))
	}
	f.write("half.jpg", f.read("tea.jpg")[:4000])
	return f
}

// in returns the folder for a subtest.
func (f *folder) in(t *testing.T) *folder {
	other := *f
	other.TB = t
	return &other
}

// scan posts a photo to the API.
func (p *process) scan(key, photo string) answer {
	p.Helper()
	body := `{"image":"` + base64.StdEncoding.EncodeToString([]byte(photo)) + `"}`
	r, err := http.NewRequest(http.MethodPost, p.url+"/api/v1/scan", strings.NewReader(body))
	if err != nil {
		p.Fatal(err)
	}
	r.Header.Set("x-api-key", key)
	a, err := roundTrip(r)
	if err != nil {
		p.Errorf("scan: %v", err)
	}
	return a
}

// seer starts a fake vision model and returns the flags that name it.
func seer(t *testing.T) (*llmtest.Ollama, []string) {
	t.Helper()
	ollama := llmtest.New(t)
	ollama.Add("seer:7b", "completion", "vision")
	return ollama, []string{"--ollama", ollama.URL, "--vision-model", "seer:7b"}
}

// says returns the answer of a model that sees a product.
func says(name, size string) string {
	return fmt.Sprintf(`{"label_text":"","kind":"product","brand":"","name":%q,"size":%q,"barcode_digits":"","confidence":"high"}`, name, size)
}

// steps returns the names and scores of the steps in a scan's JSON; each must have a time.
func steps(t *testing.T, object map[string]any) (names []string, scores map[string]float64) {
	t.Helper()
	scores = map[string]float64{}
	for _, one := range object["steps"].([]any) {
		step := one.(map[string]any)
		name, text := step["step"].(string), step["text"].(string)
		if ms, ok := step["ms"].(float64); !ok || ms < 0 || ms > 1000*patience.Seconds() || text == "" {
			t.Errorf("step %v", step)
		}
		names = append(names, name)
		if score, ok := step["score"].(float64); ok {
			scores[name] = score
		}
	}
	return names, scores
}

func TestScanCommand(t *testing.T) {
	t.Parallel()
	f := scanFolder(t)

	t.Run("FoundByItsBarcode", func(t *testing.T) {
		f := f.in(t)
		out := f.ok("scan", "tea.jpg")
		contains(t, out, "STEP", "MS", "SCORE", "WHAT", "240 x 240 pixels", "EAN-13 9781585730575", "by its barcode")
		if !regexp.MustCompile(`(?m)^barcodes +\d+\.\d +- +EAN-13 9781585730575$`).MatchString(out) ||
			!regexp.MustCompile(`(?m)^inventory +\d+\.\d +1\.00 +item_\w+, by its barcode$`).MatchString(out) ||
			!regexp.MustCompile(`\nfound: Tea Cookbook, item_\w{26}\n  price 4\.5, cost price -, stock 2\.25 kg\n$`).MatchString(out) {
			t.Errorf("printed %s", out)
		}

		object := f.object("scan", "tea.jpg")
		names, scores := steps(t, object)
		if strings.Join(names, " ") != "photo barcodes inventory" || scores["inventory"] != 1 || len(scores) != 1 {
			t.Errorf("steps %v, scores %v", names, scores)
		}
		id, _ := object["inventory_id"].(string)
		if object["found"] != true || object["name"] != "Tea Cookbook" || object["price"] != 4.5 || object["stock_qty"] != 2.25 ||
			object["unit"] != "kg" || !strings.Contains(out, id) || len(object) != 7 {
			t.Errorf("object %v", object)
		}
	})

	t.Run("NotInTheInventory", func(t *testing.T) {
		f := f.in(t)
		out := f.ok("scan", "--account", owner, "unknown.jpg")
		contains(t, out, "no item has this code", "\nnot in the inventory: Barcode 12345670\n")
		object := f.object("scan", "unknown.jpg")
		if id, has := object["inventory_id"]; !has || id != nil || object["found"] != false || object["name"] != "Barcode 12345670" {
			t.Errorf("object %v", object)
		}
	})

	t.Run("CostsNothingAndStoresNothing", func(t *testing.T) {
		f := f.in(t)
		if n := len(f.objects(f.ok("wallet", "ledger", owner, "--json"))); n != 1 {
			t.Errorf("%d rows in the ledger, want 1 (the credit)", n)
		}
		if w := f.object("wallet", "show", owner); w["balance_cents"] != 100.0 || w["held_cents"] != 0.0 {
			t.Errorf("wallet %v", w)
		}
		var rows int
		if err := f.sql("svc.db").QueryRow(`SELECT (SELECT count(*) FROM requests) + (SELECT count(*) FROM calls)`).Scan(&rows); err != nil || rows != 0 {
			t.Errorf("%d rows of calls, %v", rows, err)
		}
	})
}

// TestScanCommandFails checks that the steps are printed before the error.
func TestScanCommandFails(t *testing.T) {
	t.Parallel()
	f := scanFolder(t)
	ollama, model := seer(t)
	ollama.Prose()
	for _, row := range []struct {
		name  string
		args  []string
		out   []string // how the lines after the heading begin; nil: no output
		error string
	}{
		{"NothingIdentified", []string{"nothing.jpg"}, []string{"photo", "barcodes"}, "no product could be identified on the photo: it shows no product's barcode that could be read, and no vision model is configured"},
		{"ModelFails", append(model, "nothing.jpg"), []string{"photo", "barcodes"}, "the vision model failed, and nothing was charged: The model seer:7b gave no usable answer."},
		{"HalfAPhoto", []string{"half.jpg"}, nil, "image: is not a complete JPEG"},
		{"NoJPEG", []string{"products.csv"}, nil, "image: must be a JPEG"},
		{"NoFile", []string{"gone.jpg"}, nil, "open gone.jpg: no such file or directory"},
		{"Folder", []string{"."}, nil, "read .: is a directory"},
		{"NobodysInventory", []string{"--account", "nobody@example.com", "tea.jpg"}, nil, "no account for nobody@example.com"},
	} {
		t.Run(row.name, func(t *testing.T) {
			f := f.in(t)
			r := f.run("", append([]string{"scan"}, row.args...)...)
			if got := sentence(f, r.err); r.status != 1 || !strings.Contains(got, row.error) {
				t.Errorf("status %d, %q, want %q", r.status, got, row.error)
			}
			lines := strings.Split(strings.TrimSuffix(r.out, "\n"), "\n")[1:]
			if len(lines) != len(row.out) {
				t.Fatalf("printed %q, want %q", r.out, row.out)
			}
			for i, line := range lines {
				if !strings.HasPrefix(line, row.out[i]+" ") {
					t.Errorf("line %q, want %q", line, row.out[i])
				}
			}
		})
	}

	t.Run("OneOfSeveralAccountsMustBeNamed", func(t *testing.T) {
		f := f.in(t)
		f.account("second@example.com", "free", "0")
		contains(t, f.fails(2, "scan", "tea.jpg"), "account: there are several")
		contains(t, f.ok("scan", "--account", owner, "tea.jpg"), "found: Tea Cookbook")
		contains(t, f.ok("scan", "--account", "second@example.com", "tea.jpg"), "not in the inventory: Barcode 9781585730575")
	})
	t.Run("NoDatabase", func(t *testing.T) {
		empty := newFolder(t)
		empty.write("tea.jpg", f.in(t).read("tea.jpg"))
		contains(t, empty.fails(1, "scan", "tea.jpg"), "no database at svc.db")
	})
}

func TestScanCommandAsksTheModel(t *testing.T) {
	t.Parallel()
	f := scanFolder(t)
	ollama, model := seer(t)
	ollama.Answer(says("Coffee, ground", "250 g"))

	out := f.ok(append(append([]string{"scan"}, model...), "nothing.jpg")...)
	contains(t, out, "\nmodel seer:7b ", "Coffee, ground 250 g", "Ground Coffee 250g: ", "\nfound: Ground Coffee 250g, item_")
	variables := f.with("SVC_OLLAMA="+ollama.URL, "SVC_VISION_MODEL=seer:7b")
	names, scores := steps(t, variables.object("scan", "--model-timeout", "100s", "nothing.jpg"))
	if got := strings.Join(names, ", "); !strings.HasPrefix(got, "photo, barcodes, model seer:7b, match") {
		t.Errorf("steps %s", got)
	}
	if s := scores["match"]; s <= 0.5 || s > 1 {
		t.Errorf("score of the match %v", s)
	}

	asked := len(ollama.Questions())
	f.ok(append(append([]string{"scan"}, model...), "tea.jpg")...)
	if len(ollama.Questions()) != asked || asked != 2 {
		t.Errorf("the model was asked %d times, then %d", asked, len(ollama.Questions()))
	}
	ollama.Answer(says("Sencha", "100 g"))
	contains(t, f.ok(append(append([]string{"scan"}, model...), "nothing.jpg")...), "\nnot in the inventory: Sencha 100 g\n")
}

// TestScanCommandUsage checks that scan and serve refuse wrong settings as wrong usage.
func TestScanCommandUsage(t *testing.T) {
	t.Parallel()
	f := scanFolder(t)
	const bounds = "--model-timeout: must be from 1s to 100s"
	for line, want := range map[string]string{
		"--vision-model seer":        "--vision-model: needs --ollama",
		"--model-timeout 999ms":      bounds,
		"--model-timeout 100.001s":   bounds,
		"--model-timeout -5s":        bounds,
		"--model-timeout 5":          "must be a duration, like 30s",
		"--ollama localhost:11434":   "--ollama: must be like http://127.0.0.1:11434",
		"--ollama ftp://127.0.0.1:1": "--ollama: must be like",
	} {
		t.Run(line, func(t *testing.T) {
			contains(t, wrongHere(t, append(words(line), "scan", f.path("tea.jpg"))...), want)
			contains(t, wrongHere(t, append([]string{"serve", "--addr", "127.0.0.1:0"}, words(line)...)...), want)
		})
	}
	contains(t, f.fails(2, "scan"), "usage: svc scan [--account EMAIL] PHOTO")
	contains(t, f.fails(2, "scan", "a.jpg", "b.jpg"), "usage: svc scan [--account EMAIL] PHOTO")
	for _, timeout := range []string{"1s", "100s"} {
		f.ok("scan", "--model-timeout", timeout, "tea.jpg")
	}
}

// TestServeWithAVisionModel checks that the server loads the model before the first photo.
func TestServeWithAVisionModel(t *testing.T) {
	t.Parallel()
	f := scanFolder(t)
	_, key := f.key("live")
	ollama, model := seer(t)
	ollama.Answer(says("Ground Coffee", "250 g"))
	p := f.serve(model...)
	await(t, "the model is loaded", func() bool { return len(ollama.Requests()) > 0 })
	if first := ollama.Requests()[0]; first.Path != "/api/chat" || first.Messages != 0 || first.Model != "seer:7b" {
		t.Errorf("first question %+v", first)
	}

	a := p.scan(key, f.read("nothing.jpg"))
	contains(t, a.body, `"found":true`, `"name":"Ground Coffee 250g","price":4.5,"stock_qty":null`)
	if w := f.object("wallet", "show", owner); a.status != 200 || w["balance_cents"] != 97.0 {
		t.Errorf("status %d, body %s, wallet %v", a.status, a.body, w)
	}
	p.stop()
	if strings.Contains(p.err.String(), "level=ERROR") {
		t.Errorf("logged %s", p.err)
	}
}
