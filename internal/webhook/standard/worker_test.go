package standard_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"onefold/internal/webhook"
	"onefold/internal/webhook/standard"
)

// driver gives the worker of docs/cloudflare-email-worker.md mails, as
// Cloudflare does, and prints what it posts and how it ends. Real: the page's
// script, Node's WebCrypto. Fake: Cloudflare's message and the network.
const driver = `
import worker from './worker.mjs';
const out = [];
for (const mail of JSON.parse(process.argv[2])) {
  const raw = Buffer.from(mail.raw, 'base64');
  const seen = { ended: 'well' };
  globalThis.fetch = async (url, init) => {
    const headers = {};
    new Headers(init.headers).forEach((v, k) => { headers[k] = v; });
    Object.assign(seen, { url, method: init.method, headers, body: Buffer.from(init.body).toString('base64') });
    return { status: mail.status };
  };
  const message = {
    from: mail.from, to: mail.to, rawSize: mail.size || raw.length, raw: new Blob([raw]).stream(),
    setReject: reason => { seen.ended = 'rejected'; seen.reason = reason; },
  };
  try { await worker.email(message, { ONEFOLD_SECRET: mail.secret, ONEFOLD_URL: 'https://hooks.demo.example/v1/demo/mail' }); } catch (e) { seen.ended = 'failed'; }
  out.push(seen);
}
process.stdout.write(JSON.stringify(out));
`

// letter is one mail for the driver.
type letter struct {
	From   string `json:"from"`
	To     string `json:"to"`
	Raw    []byte `json:"raw"`
	Secret string `json:"secret"`
	Status int    `json:"status"`
	Size   int    `json:"size,omitempty"`
}

type posted struct {
	Ended, URL, Method, Body string
	Headers                  map[string]string
}

func runWorker(t *testing.T, letters []letter) []posted {
	t.Helper()
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("node is not installed: the page's script is not run")
	}
	page, err := os.ReadFile("../../../docs/cloudflare-email-worker.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, ok := strings.Cut(string(page), "```js\n")
	script, _, closed := strings.Cut(rest, "```")
	if !ok || !closed {
		t.Fatal("the page shows no script")
	}
	dir := t.TempDir()
	for name, text := range map[string]string{"worker.mjs": script, "driver.mjs": driver} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	asked, err := json.Marshal(letters)
	if err != nil {
		t.Fatal(err)
	}
	var stderr bytes.Buffer
	cmd := exec.CommandContext(t.Context(), node, filepath.Join(dir, "driver.mjs"), string(asked))
	cmd.Stderr = &stderr
	answer, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, stderr.String())
	}
	var all []posted
	if err := json.Unmarshal(answer, &all); err != nil || len(all) != len(letters) {
		t.Fatalf("%d of %d, %v", len(all), len(letters), err)
	}
	return all
}

func TestTheEmailWorkerOfThePageIsTaken(t *testing.T) {
	t.Parallel()
	all := secrets()
	set := webhook.Setting{Content: webhook.ContentMail, Now: time.Now()}
	for _, text := range all[:2] {
		s, err := webhook.TextSecret(text)
		if err != nil {
			t.Fatal(err)
		}
		set.Secrets = append(set.Secrets, s)
	}
	raw := []byte("From: ann@example.org\r\nSubject: Hut\r\n\r\nGr\xfc\xdfe \x00\r\n")
	letters := []letter{
		{"ann@example.org", "Sales@demo.example", raw, all[0], 200, 0},
		{"", "sales@demo.example", raw, all[1] + "\n", 200, 0},
		{"ann@example.org", "sales@demo.example", raw, all[2], 200, 0}, // a stranger's secret
		{"jürgen@bücher.example", "sales@demo.example", raw, all[0], 409, 0},
		{"ann@example.org", "sales@demo.example", raw, all[0], 503, 0},
		{"ann@example.org", "sales@demo.example", raw, all[0], 302, 0},
		{"ann@example.org", "sales@demo.example", raw, all[0], 200, 5 << 20},
	}
	got := runWorker(t, letters)
	for i, want := range []struct {
		ended, from string
		posts       bool
		taken       bool
	}{
		{"well", "ann@example.org", true, true}, {"well", webhook.NullSender, true, true}, {"well", "", true, false},
		{"well", "j%C3%BCrgen@b%C3%BCcher.example", true, true}, {"failed", "ann@example.org", true, true}, {"failed", "ann@example.org", true, true}, {"rejected", "", false, false},
	} {
		p := got[i]
		if p.Ended != want.ended || (p.URL != "") != want.posts {
			t.Errorf("letter %d ended %s, posted to %q", i, p.Ended, p.URL)
		}
		if !want.posts {
			continue
		}
		body, err := base64.StdEncoding.DecodeString(p.Body)
		if err != nil {
			t.Fatal(err)
		}
		opened, err := standard.Standard().Open(webhook.Request{Method: p.Method, Headers: p.Headers, Body: body}, set)
		if (err == nil) != want.taken {
			t.Errorf("letter %d: %v, want taken %t", i, err, want.taken)
		}
		if err != nil {
			continue
		}
		d := opened.Deliveries[0]
		if d.EnvelopeFrom != want.from || d.Mailbox != "sales@demo.example" || !bytes.Equal(d.Raw, raw) {
			t.Errorf("letter %d: from %q to %q, %d bytes", i, d.EnvelopeFrom, d.Mailbox, len(d.Raw))
		}
	}
}
