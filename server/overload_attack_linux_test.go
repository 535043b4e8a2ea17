package server_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"
)

// kind is a kind of call that a bystander makes.
type kind struct {
	name    string
	status  int
	request func(o *overload, i int) (method, path, key, body string, header http.Header)
}

// attack is what one caller does to all, while bystanders make cheap calls and calls of
// their own kind.
type attack struct {
	name  string
	own   kind
	heavy bool // the attacker's calls are heavy work, which others are to notice little of
	run   func(ctx context.Context, t *testing.T, p *process)
}

func (o *overload) cheap() kind {
	return kind{"GET /connections", 200, func(o *overload, i int) (string, string, string, string, http.Header) {
		return "GET", "/api/v1/connections", o.next(), "", nil
	}}
}

func (o *overload) send() kind {
	return kind{"send", 200, func(o *overload, i int) (string, string, string, string, http.Header) {
		return "POST", "/api/v1/messaging/send", o.next(), `{"phone":"+447700900123","template":"receipt","text":"Thank you!"}`,
			http.Header{"Idempotency-Key": {fmt.Sprint("k", i)}}
	}}
}

func (o *overload) smallScan() kind {
	// No barcode is on the photo and there is no model, so that the answer is 422 after all work.
	return kind{"scan", 422, func(o *overload, i int) (string, string, string, string, http.Header) {
		return "POST", "/api/v1/scan", o.next(), o.smallPhoto, nil
	}}
}

func (o *overload) ask() kind {
	return kind{"ask", 200, func(o *overload, i int) (string, string, string, string, http.Header) {
		return "POST", "/api/v1/ask", o.next(), `{"question":"what was my revenue in January 2024?"}`, nil
	}}
}

func (o *overload) signIn() kind {
	return kind{"sign in", 303, func(o *overload, i int) (string, string, string, string, http.Header) {
		return "POST", "/signin", "", url.Values{"email": {ownerEmail}, "password": {ownerPassword}}.Encode(), signInHeader("203.0.113.9") // after the quiet run the account knows it
	}}
}

func signInHeader(from string) http.Header {
	return http.Header{
		"Content-Type": {"application/x-www-form-urlencoded"}, "Sec-Fetch-Site": {"same-origin"}, "X-Forwarded-For": {from},
	}
}

// attacks are those of items 1 to 6 of the review.
func (o *overload) attacks() []attack {
	return []attack{
		{"1 costly photos", o.smallScan(), false, o.costlyPhotos},
		{"2 announced bodies", o.smallScan(), false, o.announcedBodies},
		{"3 unknown words", o.ask(), false, o.unknownWords},
		{"4 overlapping questions", o.send(), true, func(ctx context.Context, t *testing.T, p *process) {
			o.loop(ctx, t, p, 8, func(i int) string {
				return fmt.Sprintf("revenue by town and customer on day %d of January 2024", i%28+1)
			})
		}},
		{"5 two askers", o.send(), true, func(ctx context.Context, t *testing.T, p *process) {
			o.loop(ctx, t, p, 2, func(i int) string {
				return fmt.Sprintf("top %d customers by revenue compared with the year before", i%50+1)
			})
		}},
		{"6 sign-ins of 1,000 networks", o.signIn(), false, o.manySignIns},
	}
}

// loop asks questions, n at a time.
func (o *overload) loop(ctx context.Context, t *testing.T, p *process, n int, question func(i int) string) {
	var askers sync.WaitGroup
	for a := range n {
		askers.Go(func() {
			for i := a; ctx.Err() == nil; i += n {
				if _, err := p.call(ctx, "POST", "/api/v1/ask", o.next(), fmt.Sprintf(`{"question":%q}`, question(i)), nil); err == nil {
					o.asked.Add(1)
				}
			}
		})
	}
	askers.Wait()
}

// unknownWords asks about words that no value of a large file resembles (item 3).
func (o *overload) unknownWords(ctx context.Context, t *testing.T, p *process) {
	o.loop(ctx, t, p, 2, func(i int) string {
		words := make([]string, 110)
		for w := range words {
			words[w] = fmt.Sprintf("qzx%dvw%dk", w*7+i, w)
		}
		return "revenue for " + strings.Join(words, " ")
	})
}

// costlyPhotos sends photos of 40 megapixels, four at a time: a baseline one and a progressive
// one of 115 KiB, which takes the most memory (item 1).
func (o *overload) costlyPhotos(ctx context.Context, t *testing.T, p *process) {
	photos := []string{photoBody(flatJPEG(t, 8000, 5000)), photoBody(progressiveJPEG(8000, 5000))}
	var senders sync.WaitGroup
	for s := range 4 {
		senders.Go(func() {
			for i := s; i < 12 && ctx.Err() == nil; i += 4 {
				_, _ = p.call(ctx, "POST", "/api/v1/scan", o.attacker, photos[i%2], nil)
			}
		})
	}
	senders.Wait()
}

// announcedBodies announces 17 × 7.5 MiB with a free test key and sends them slowly (item 2).
func (o *overload) announcedBodies(ctx context.Context, t *testing.T, p *process) {
	var senders sync.WaitGroup
	for range 18 {
		c := p.dial(t)
		fmt.Fprintf(c, "POST /api/v1/scan HTTP/1.1\r\nHost: x\r\nx-api-key: %s\r\nContent-Length: %d\r\n\r\n{\"image\":\"", o.free, 15<<19)
		senders.Go(func() { trickle(ctx, c) })
	}
	senders.Wait()
}

// manySignIns tries to sign in 1,000 times at once, each time from another network (item 6).
func (o *overload) manySignIns(ctx context.Context, t *testing.T, p *process) {
	var visitors sync.WaitGroup
	for i := range 1000 {
		visitors.Go(func() {
			form := url.Values{"email": {fmt.Sprintf("nobody-%d@example.com", i)}, "password": {"not the password"}}.Encode()
			_, _ = p.call(ctx, "POST", "/signin", "", form, signInHeader(fmt.Sprintf("10.%d.%d.1", i/250+1, i%250)))
		})
	}
	visitors.Wait()
}

// idleSockets opens 1,100 connections and leaves them idle, where the process may have 1,024
// descriptors (item 14).
func (o *overload) idleSockets(t *testing.T) {
	t.Helper()
	p := o.serveWith(t, 1024)
	defer p.stop(t)
	for range 1100 {
		c, err := net.DialTimeout("tcp", p.address, time.Second)
		if err != nil {
			break // the backlog is full
		}
		defer c.Close()
		fmt.Fprintf(c, "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
	}
	got := p.watch(t, nil, o.cheap())[0]
	o.row("14 idle sockets", o.cheap().name, got)
	if got.answered == 0 || got.failed > 0 {
		t.Errorf("beside idle sockets %d calls were answered and %d failed: %s", got.answered, got.failed, got.last)
	}
}

// trickle sends one byte at a time.
func trickle(ctx context.Context, c net.Conn) {
	defer c.Close()
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			if _, err := io.WriteString(c, "A"); err != nil {
				return
			}
		}
	}
}

// flatJPEG encodes a photo of one color.
func flatJPEG(t testing.TB, w, h int) []byte {
	t.Helper()
	picture := image.NewGray(image.Rect(0, 0, w, h))
	for i := range picture.Pix {
		picture.Pix[i] = color.Gray{Y: 200}.Y
	}
	var file bytes.Buffer
	if err := jpeg.Encode(&file, picture, nil); err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}

// progressiveJPEG encodes a gray photo in colors with 4:2:0 sampling, which image/jpeg cannot
// write: one scan, in which each block has one bit, for no difference from the block before.
func progressiveJPEG(w, h int) []byte {
	var file bytes.Buffer
	segment := func(marker byte, body ...byte) {
		file.Write([]byte{0xff, marker, byte((len(body) + 2) >> 8), byte(len(body) + 2)})
		file.Write(body)
	}
	file.Write([]byte{0xff, 0xd8})
	segment(0xdb, append([]byte{0}, bytes.Repeat([]byte{1}, 64)...)...)                               // quantization
	segment(0xc2, 8, byte(h>>8), byte(h), byte(w>>8), byte(w), 3, 1, 0x22, 0, 2, 0x11, 0, 3, 0x11, 0) // frame
	segment(0xc4, append([]byte{0, 1}, make([]byte, 15+1)...)...)                                     // the code 0 means 0
	segment(0xda, 3, 1, 0, 2, 0, 3, 0, 0, 0, 0)                                                       // scan of the DC coefficients
	blocks := ((w + 15) / 16) * ((h + 15) / 16) * 6
	file.Write(make([]byte, blocks/8))
	file.WriteByte(0xff >> (blocks % 8))
	if blocks%8 == 0 {
		file.Truncate(file.Len() - 1)
	}
	file.Write([]byte{0xff, 0xd9})
	return file.Bytes()
}

func photoBody(file []byte) string {
	return `{"image":"` + base64.StdEncoding.EncodeToString(file) + `"}`
}
