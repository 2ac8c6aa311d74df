package events_test

import (
	"io/fs"
	"path"
	"strings"
	"testing"

	samples "onefold/events"
	"onefold/internal/decide/content"
	"onefold/internal/policy/tenant"
	"onefold/internal/reading/rawmail"
	"onefold/internal/reading/wish"
)

// mailIs is what a reader sees in a sample without any program.
type mailIs struct {
	kind   rawmail.Kind
	from   string // first address of From; "" for none that can be read
	says   string // stands in the visible text
	hides  string // stands in no visible text: quoted, or markup
	optOut wish.Verdict
}

func mailTable() map[string]mailIs {
	const human, none = rawmail.Human, wish.OptOutNone
	return map[string]mailIs{
		"auto-reply/out-of-office.eml":       {rawmail.AutoReply, "sam.okafor@outdoorclub.example", "out of the office", "", none},
		"bounce/unknown-user.eml":            {rawmail.Bounce, "MAILER-DAEMON@mx.closed.example", "could not", "", none},
		"broken-from/no-address.eml":         {human, "", "gift vouchers", "", none},
		"complaint/abuse.eml":                {rawmail.Complaint, "fbl@mail.provider.example", "This is an abuse report", "half the price", none},
		"forwarded-by-colleague/enquiry.eml": {rawmail.Own, "ben.sand@demo.example", "please take it", "eight tents", none},
		"forwarded-by-workspace/enquiry.eml": {human, "iris.boyd@orchard.example", "one day in April", "", none},
		"forwarding-confirmation/gmail.eml":  {rawmail.AutoReply, "forwarding-noreply@google.com", "204873165", "", none},
		"group/doubtful.eml":                 {rawmail.List, "robin.hale@buyer.example", "my colleague asks", "", wish.OptOutDoubtful},
		"group/newsletter.eml":               {rawmail.List, "news@garden-shop.example", "you can unsubscribe here", "", none},
		"group/opt-out.eml":                  {rawmail.List, "dana.reed@hill.example", "take me off your mailing list", "", wish.OptOutExplicit},
		"group/ours.eml":                     {human, "nora.pike@lake.example", "canoes", "", none},
		"hostile/header-junk.eml":            {human, "kim@knot.example", "porters", "", wish.OptOutDoubtful},
		"hostile/not-mail.eml":               {rawmail.Unparseable, "", "", "", none},
		"hostile/unclosed-boundary.eml":      {human, "eve.long@tangle.example", "map of the valley", "", wish.OptOutDoubtful},
		"injection/instructions.eml":         {human, "vic.stone@mischief.example", "ignore all previous instructions", "", none},
		"list-copy/by-the-group.eml":         {human, "lena.frost@glacier.example", "glacier course", "", none},
		"list-copy/direct.eml":               {human, "lena.frost@glacier.example", "glacier course", "", none},
		"lost-answer/enquiry.eml":            {human, "timeout-sent@lost.example", "snow shoes", "", none},
		"low-quality/no-message-id.eml":      {human, "ines.duarte@cafe.example", "picnic baskets", "", none},
		"low-quality/raw-8bit.eml":           {human, "joerg.brunner@werkstatt.example", "Übernachtungen auf Hütten", "", none},
		"multipart/html-and-plain.eml":       {human, "mina.falk@studio.example", "The leaflet is attached.", "<b>", none},
		"multipart/html-only.eml":            {human, "leo.brand@press.example", "visit in winter?", "color: black", none},
		"null-sender/acknowledgement.eml":    {human, "desk@ticketing.example", "within two days", "", none}, // by its headers alone
		"opt-out/doubtful.eml":               {human, "robin.hale@buyer.example", "my colleague asks", "", wish.OptOutDoubtful},
		"opt-out/german.eml":                 {human, "jana.weiss@kunde.example", "Bitte abmelden.", "", wish.OptOutExplicit},
		"opt-out/reply.eml":                  {human, "alex.morgan@customer.example", "Please unsubscribe me", "One of our guides", wish.OptOutExplicit},
		"own-relay/enquiry.eml":              {rawmail.Own, "wordpress@demo.example", "group prices", "", none},
		"own-relay/in-the-text.eml":          {rawmail.Own, "wordpress@demo.example", "north ridge", "", none},
		"own-relay/opt-out.eml":              {rawmail.Own, "wordpress@demo.example", "unsubscribe me", "", wish.OptOutDoubtful},
		"plain/enquiry.eml":                  {human, "alex.morgan@customer.example", "five day hut tour", "", none},
		"plain/german.eml":                   {human, "jana.weiss@kunde.example", "geführten Touren: Bieten Sie auch Wanderungen", "", none},
		"plain/pricing.eml":                  {human, "robin.hale@buyer.example", "how much would", "7946", none},
		"plain/second-enquiry.eml":           {human, "alex.morgan@customer.example", "size 46", "", none},
		"redirected-by-exchange/enquiry.eml": {human, "hugo.lind@harbour.example", "tours in February", "", none},
		"shared-inbox/office.eml":            {human, "office@riverside.example", "guided walk in June", "", none},
		"two-mailboxes/info.eml":             {human, "sam.okafor@outdoorclub.example", "whole lodge", "", none},
		"two-mailboxes/sales.eml":            {human, "sam.okafor@outdoorclub.example", "whole lodge", "", none},

		"varying-autoresponder/first.eml":  {human, "case+c4f1@helpline.example", "Your case has the number", "", none},
		"varying-autoresponder/second.eml": {human, "case+c4f2@helpline.example", "Your case has the number", "", none},
	}
}

func TestEveryMailReadsAsItsFolderSays(t *testing.T) {
	t.Parallel()
	table := mailTable()
	policy := examplePolicy(t)
	err := fs.WalkDir(samples.Files(), "mail", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name = strings.TrimPrefix(name, "mail/")
		want, ok := table[name]
		if !ok {
			t.Errorf("%s stands in no table", name)
			return nil
		}
		delete(table, name)
		t.Run(name, func(t *testing.T) { checkMail(t, policy, samples.Mail(name), want) })
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for name := range table {
		t.Errorf("%s stands in the table and is no file", name)
	}
}

func checkMail(t *testing.T, policy tenant.Policy, raw []byte, want mailIs) {
	t.Helper()
	m := rawmail.Parse(raw, policy.IsOwn)
	if m.Kind != want.kind {
		t.Errorf("kind %s (%v), want %s", m.Kind, m.KindReasons, want.kind)
	}
	from := ""
	if len(m.From) > 0 {
		from = m.From[0].Address
	}
	if from != want.from {
		t.Errorf("From is %q, want %q", from, want.from)
	}
	if visible := strings.Join(strings.Fields(m.Visible), " "); !strings.Contains(visible, want.says) {
		t.Errorf("visible text %q does not say %q", visible, want.says)
	}
	if want.hides != "" && strings.Contains(m.Visible, want.hides) {
		t.Errorf("visible text shows %q", want.hides)
	}
	verdict := content.OfMail(m).OptOut.Verdict
	if verdict == "" {
		verdict = wish.OptOutNone // not asked: no person's words
	}
	if verdict != want.optOut {
		t.Errorf("opt-out %s, want %s", verdict, want.optOut)
	}
}

func TestOneMailInTwoMailboxesIsOneCause(t *testing.T) {
	t.Parallel()
	cause := func(name string) string { return content.OfMail(rawmail.Parse(samples.Mail(name), nil)).Cause }
	if cause("two-mailboxes/sales.eml") != cause("two-mailboxes/info.eml") {
		t.Error("trace headers made a second cause")
	}
	if cause("plain/enquiry.eml") == cause("plain/second-enquiry.eml") {
		t.Error("two mails of one person and one moment are one cause")
	}
}

func TestTheBounceNamesTheAddressThatFailed(t *testing.T) {
	t.Parallel()
	m := rawmail.Parse(samples.Mail("bounce/unknown-user.eml"), nil)
	want := rawmail.Suppression{Address: "pat.lind@closed.example", Reason: "bounce", Code: "5.1.1", Hard: true}
	if m.Suppression == nil || *m.Suppression != want {
		t.Errorf("suppression %+v, want %+v", m.Suppression, want)
	}
}

func TestAttachmentsAreNamed(t *testing.T) {
	t.Parallel()
	m := rawmail.Parse(samples.Mail("multipart/html-and-plain.eml"), nil)
	if len(m.Attachments) != 1 || path.Base(m.Attachments[0].Name) != "leaflet.pdf" {
		t.Errorf("attachments %+v, want leaflet.pdf alone", m.Attachments)
	}
}
