package report_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"onefold/internal/operate/mailbox"
	"onefold/internal/operate/mailbox/planted"
	"onefold/internal/operate/mailbox/report"
	"onefold/internal/policy/tenant"
	"onefold/internal/reading/reader/rules"
)

func audited(t *testing.T, file []byte, list []byte) mailbox.Report {
	t.Helper()
	p, err := tenant.Parse(tenant.Example())
	if err != nil {
		t.Fatal(err)
	}
	o := mailbox.Options{Policy: p, Own: mailbox.Own{Addresses: p.OwnAddresses, How: mailbox.ByPolicy}, Reader: rules.New(), Workers: 2}
	if list != nil {
		if o.Contacts, err = mailbox.ReadContacts(list); err != nil {
			t.Fatal(err)
		}
	}
	r, err := mailbox.Run(t.Context(), bytes.NewReader(file), o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func page(t *testing.T, r mailbox.Report) string {
	t.Helper()
	var b bytes.Buffer
	if err := report.HTML(&b, r); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// elements calls see for each element of a page.
func elements(t *testing.T, text string, see func(*html.Node)) {
	t.Helper()
	root, err := html.Parse(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	for n := range root.Descendants() {
		if n.Type == html.ElementNode {
			see(n)
		}
	}
}

func attr(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

func TestThePageNeedsNothingButItself(t *testing.T) {
	t.Parallel()
	box := planted.Sample()
	text := page(t, audited(t, box.File(nil), box.Contacts()))
	ids, links, policy, styles := map[string]bool{}, []string(nil), "", 0
	elements(t, text, func(n *html.Node) {
		if id := attr(n, "id"); id != "" {
			ids[id] = true
		}
		switch n.Data {
		case "script", "link", "img", "iframe", "object", "form", "base":
			t.Errorf("the page has a <%s>", n.Data)
		case "a":
			links = append(links, attr(n, "href"))
		case "meta":
			if strings.EqualFold(attr(n, "http-equiv"), "Content-Security-Policy") {
				policy = attr(n, "content")
			}
		case "style":
			styles++
			sum := sha256.Sum256([]byte(n.FirstChild.Data))
			if want := "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"; !strings.Contains(policy, want) {
				t.Errorf("the policy %q lacks the style's hash %s", policy, want)
			}
			if regexp.MustCompile(`(?i)@import|url\(`).MatchString(n.FirstChild.Data) {
				t.Error("the style refers to something outside")
			}
		}
		for _, a := range n.Attr {
			if a.Key == "style" || strings.HasPrefix(a.Key, "on") || a.Key == "src" {
				t.Errorf("<%s> has %s=%q", n.Data, a.Key, a.Val)
			}
		}
	})
	if !strings.HasPrefix(policy, "default-src 'none'; style-src 'sha256-") || styles != 1 {
		t.Errorf("content security policy %q, %d styles", policy, styles)
	}
	for _, href := range links {
		if !strings.HasPrefix(href, "#") || !ids[href[1:]] {
			t.Errorf("the link %q leads nowhere on the page", href)
		}
	}
	if len(links) != 8 {
		t.Errorf("%d numbers on top, want 8", len(links))
	}
}

// Nothing that a stranger wrote becomes markup, or turns the direction of the
// text around it.
func TestWhatAMailHoldsStaysText(t *testing.T) {
	t.Parallel()
	hostile := "=?utf-8?Q?<script>alert(1)</script>_\"'_=E2=80=AEevil?="
	r := audited(t, []byte("From x@example.com Mon Jan  5 10:00:00 2026\nFrom: \"<img src=x onerror=y>\" <pat@customer.example>\nTo: hello@demo.example\nDate: Mon, 5 Jan 2026 10:00:00 +0000\nMessage-ID: <m1@customer.example>\nSubject: "+hostile+"\n\nPlease unsubscribe me.\n"), nil)
	r.Own.Addresses = []string{"<script>x</script>"}
	text := page(t, r)
	elements(t, text, func(n *html.Node) {
		if n.Data == "script" || n.Data == "img" {
			t.Errorf("a mail made a <%s>", n.Data)
		}
	})
	if !strings.Contains(text, "&lt;script&gt;alert(1)&lt;/script&gt;") || strings.ContainsRune(text, '\u202e') {
		t.Error("the subject is not shown as text")
	}
}

// Each address of a finding stands on the page.
func TestEveryFindingIsOnThePage(t *testing.T) {
	t.Parallel()
	box := planted.Whole()
	list := box.Contacts()
	text := html.UnescapeString(page(t, audited(t, box.File(nil), list)))
	var want []string
	for _, w := range slices.Concat(box.Truth.People, box.Truth.Shared, box.Truth.OtherSenders) {
		want = append(want, w.Address)
	}
	for _, s := range box.Truth.Stopped {
		want = append(want, s.Address)
	}
	for _, addr := range want {
		if !strings.Contains(text, "<bdi>"+addr+"</bdi>") {
			t.Errorf("%s is not on the page", addr)
		}
	}
}

func TestALongTableSaysHowMuchIsMissing(t *testing.T) {
	t.Parallel()
	r := audited(t, nil, nil)
	for range report.MaxRows + 7 {
		r.People = append(r.People, mailbox.Person{Address: "a@example.com"})
	}
	text := page(t, r)
	if strings.Count(text, "<bdi>a@example.com</bdi>") != report.MaxRows || !strings.Contains(text, "7 more are in the JSON report.") {
		t.Error("the table is not cut as it says")
	}
}

func TestTheSummaryNamesNobodyButTheOwner(t *testing.T) {
	t.Parallel()
	box := planted.Sample()
	text := report.Text(audited(t, box.File(nil), box.Contacts()))
	for _, want := range []string{
		"64 messages, 2026-01-05 to 2026-01-30\n", "own addresses: @demo.example (from the policy)\n", "     26  people; besides 1 shared inbox, 2 who only sell, bill or mail\n",
		"      3  wishes not to be mailed, 2 missed\n", "      4  of 29 enquiries not answered within a day\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the summary lacks %q:\n%s", want, text)
		}
	}
	if got := regexp.MustCompile(`\S*@\S*`).FindAllString(text, -1); len(got) != 1 {
		t.Errorf("addresses %q", got)
	}
}
