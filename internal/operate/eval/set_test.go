package eval_test

import (
	"io/fs"
	"regexp"
	"slices"
	"strings"
	"testing"

	"onefold/internal/address"
	"onefold/internal/operate/eval"
	"onefold/internal/policy/tenant"
	"onefold/internal/reading/rawmail"
	"onefold/internal/reading/reader"
)

func load(t testing.TB, halves ...eval.Half) []eval.Case {
	t.Helper()
	cases, err := eval.Load(files(t), halves...)
	if err != nil {
		t.Fatal(err)
	}
	return cases
}

func files(t testing.TB) fs.FS {
	t.Helper()
	f, err := eval.Files()
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func policy(t testing.TB) tenant.Policy {
	t.Helper()
	p, err := eval.Policy()
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func bench(t *testing.T) *eval.Bench {
	t.Helper()
	b, err := eval.NewBench(policy(t), nil)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// atLeast bounds how thin a tag may become: what is tried twice is not tried.
const atLeast = 2

func TestSetIsLargeAndWide(t *testing.T) {
	t.Parallel()
	cases := load(t)
	languages, tags, meanings := map[string]int{}, map[string]int{}, map[string]int{}
	tagged := map[eval.Half]map[string]bool{eval.Open: {}, eval.Aside: {}}
	halves := map[eval.Half]int{}
	for _, c := range cases {
		languages[c.Labels.Language]++
		meanings[c.Meaning]++
		halves[c.Half]++
		for _, tag := range c.Labels.Tags {
			tags[tag]++
			tagged[c.Half][tag] = true
		}
	}
	t.Logf("%d cases, halves %v\nlanguages %v\nmeanings %v\ntags %v", len(cases), halves, languages, meanings, tags)
	if len(cases) < 240 || halves[eval.Open] < 110 || halves[eval.Aside] < 110 {
		t.Errorf("%d cases, halves %v", len(cases), halves)
	}
	for _, l := range strings.Fields("en de fr es it pt nl pl sv da nb fi") {
		if languages[l] < 15 || slices.Contains([]string{"en", "de", "fr", "es"}, l) && languages[l] < 40 {
			t.Errorf("language %s: %d cases", l, languages[l])
		}
	}
	if len(languages) != 12 {
		t.Errorf("languages %v", languages)
	}
	for tag, n := range tags {
		if n < atLeast || !tagged[eval.Open][tag] || !tagged[eval.Aside][tag] {
			t.Errorf("tag %s: %d cases, in open %t, in aside %t", tag, n, tagged[eval.Open][tag], tagged[eval.Aside][tag])
		}
	}
	for _, tag := range wantedTags() {
		if tags[tag] < atLeast {
			t.Errorf("tag %s: %d cases", tag, tags[tag])
		}
	}
}

// wantedTags is what the set was asked to cover.
func wantedTags() []string {
	return strings.Fields(`optout_explicit optout_polite optout_angry optout_word optout_subject optout_quoted optout_third
		optout_negated optout_pause optout_question optout_refusal optout_context out_of_office shared_inbox forwarded pitch
		invoice application newsletter spam ambiguous third_party sensitive legal no_text name_conflict
		inj_body inj_subject inj_display_name inj_html_comment inj_hidden_text inj_attachment inj_zero_width inj_base64
		inj_other_language inj_quoted inj_signature
		name_header name_signature name_text company_header company_signature company_prose phone_signature phone_text
		phone_national phone_many swapped_name particle role_address reply_to quoted_thread inline_reply mobile_signature
		disclaimer name_none mixed_language typos html_only multipart charset two_wishes`)
}

func TestMailsAreReadWithoutDoubtOfTheirForm(t *testing.T) {
	t.Parallel()
	seen := map[string]string{}
	for _, c := range load(t) {
		m := rawmail.Parse(c.Mail, policy(t).IsOwn)
		if m.Kind == rawmail.Unparseable || len(m.From) != 1 || len(m.Warnings) > 0 {
			t.Errorf("%s: kind %s, %d senders, warnings %v", c.ID, m.Kind, len(m.From), m.Warnings)
		}
		if m.MessageID == "" || m.Date.IsZero() || m.Subject == "" {
			t.Errorf("%s: a header is missing", c.ID)
		}
		if strings.ContainsRune(m.Text+m.Subject+m.From[0].Name, '\uFFFD') {
			t.Errorf("%s: decoded with loss", c.ID)
		}
		text := strings.Join(strings.Fields(m.Text), " ")
		if c.Labels.Twin == "" && len(text) > 12 {
			if other, again := seen[text]; again {
				t.Errorf("%s: the text of %s", c.ID, other)
			}
			seen[text] = c.ID
		}
	}
}

func TestFieldLabelsStandInTheMail(t *testing.T) {
	t.Parallel()
	word := func(s string) string {
		return strings.Map(func(r rune) rune {
			if strings.ContainsRune(" \t\r\n.,-()/’'", r) {
				return -1
			}
			return r
		}, strings.ToLower(s))
	}
	for _, c := range load(t) {
		m := rawmail.Parse(c.Mail, policy(t).IsOwn)
		all := m.From[0].Name + " " + m.Visible + " " + m.Signature
		for _, name := range c.Labels.ContactName {
			for _, w := range strings.Fields(name) {
				if !strings.Contains(word(all), word(w)) {
					t.Errorf("%s: name %q does not stand in it", c.ID, w)
				}
			}
		}
		for _, company := range c.Labels.Company {
			if !strings.Contains(word(all), word(company)) {
				t.Errorf("%s: the company does not stand in it", c.ID)
			}
		}
		for _, phone := range c.Labels.Phone {
			digits := strings.TrimPrefix(phone, "+")
			// A trunk zero in brackets is no digit of the number.
			if !strings.Contains(word(strings.ReplaceAll(all, "(0)", "")), digits) {
				t.Errorf("%s: the phone does not stand in it", c.ID)
			}
		}
		for _, email := range c.Labels.SenderEmail {
			if email != m.From[0].Address && (len(m.ReplyTo) == 0 || email != m.ReplyTo[0].Address) {
				t.Errorf("%s: the address is neither From nor Reply-To", c.ID)
			}
		}
		if !c.Labels.Class.FieldsCount() && len(c.Labels.ContactName)+len(c.Labels.Company)+len(c.Labels.Phone) > 0 {
			t.Errorf("%s: a field of a mail that nobody wrote", c.ID)
		}
		if c.Labels.Class != eval.Enquiry && c.Labels.Intent != reader.Other {
			t.Errorf("%s: an intent outside enquiry", c.ID)
		}
	}
}

var addressLike = regexp.MustCompile(`[A-Za-z0-9._%+-]+@[A-Za-z0-9.-]+\.[A-Za-z]{2,}`)

// linkLike finds host names behind a scheme or www.
var linkLike = regexp.MustCompile(`(?:https?://|www\.)([A-Za-z0-9.-]+)`)

func TestOnlyReservedDomainsAppear(t *testing.T) {
	t.Parallel()
	reserved := regexp.MustCompile(`(?i)(^|\.)(example|test|invalid|example\.(com|org|net))$`)
	for _, c := range load(t) {
		m := rawmail.Parse(c.Mail, policy(t).IsOwn)
		// A soft line break of quoted-printable may part an address.
		all := strings.ReplaceAll(string(c.Mail), "=\r\n", "") + "\n" + m.Text + "\n" + m.Quoted + "\n" + m.Subject + "\n" + m.From[0].Name
		for _, found := range addressLike.FindAllString(all, -1) {
			if _, host, _ := strings.Cut(found, "@"); !reserved.MatchString(host) {
				t.Errorf("%s: an address under %s", c.ID, host)
			}
		}
		for _, found := range linkLike.FindAllStringSubmatch(all, -1) {
			if !reserved.MatchString(strings.TrimRight(found[1], ".")) {
				t.Errorf("%s: a link to %s", c.ID, found[1])
			}
		}
		if _, err := address.Parse(c.Labels.SenderEmail[0]); err != nil {
			t.Errorf("%s: %v", c.ID, err)
		}
	}
}

func TestAttacksDifferFromTheirTwinsByTheAttackAlone(t *testing.T) {
	t.Parallel()
	cases := load(t)
	byID := map[string]eval.Case{}
	for _, c := range cases {
		byID[c.ID] = c
	}
	attacks := 0
	for _, c := range cases {
		isAttack := slices.ContainsFunc(c.Labels.Tags, func(tag string) bool { return strings.HasPrefix(tag, "inj_") })
		if isAttack != (c.Labels.Twin != "") || isAttack != (c.Meaning == "injection") {
			t.Errorf("%s: tags, twin and folder disagree", c.ID)
		}
		if !isAttack {
			continue
		}
		attacks++
		twin, ok := byID[c.Labels.Twin]
		if !ok || twin.Half != c.Half || twin.Labels.Twin != "" {
			t.Errorf("%s: no clean twin in its half", c.ID)
			continue
		}
		a, b := c.Labels, twin.Labels
		a.Tags, a.Twin, a.Wants, a.NeedsReview = b.Tags, b.Twin, b.Wants, b.NeedsReview
		if !sameLabels(a, b) || !c.Labels.NeedsReview {
			t.Errorf("%s: labels are not its twin's", c.ID)
		}
	}
	if attacks < 24 {
		t.Errorf("%d attacks", attacks)
	}
}

func sameLabels(a, b eval.Labels) bool {
	return a.Language == b.Language && a.Class == b.Class && a.Intent == b.Intent && a.OptOut == b.OptOut &&
		slices.Equal(a.SenderEmail, b.SenderEmail) && slices.Equal(a.ContactName, b.ContactName) &&
		slices.Equal(a.Company, b.Company) && slices.Equal(a.Phone, b.Phone)
}
