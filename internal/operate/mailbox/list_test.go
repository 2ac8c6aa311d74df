package mailbox_test

import (
	"errors"
	"strings"
	"testing"

	"onefold/internal/operate/mailbox"
)

// compared is the part of a report that is about the contact list, for a mailbox
// that one person has written to.
func compared(t *testing.T, file string) *mailbox.Contacts {
	t.Helper()
	o := options(t)
	var err error
	if o.Contacts, err = mailbox.ReadContacts([]byte(file)); err != nil {
		t.Fatal(err)
	}
	return audited(t, []byte(pat), o).Contacts
}

const pat = "From pat@customer.example Mon Jan  5 10:00:00 2026\n" +
	"From: Pat Quill <pat@customer.example>\nTo: hello@demo.example\nSubject: Snow shoes\nDate: Mon, 5 Jan 2026 10:00:00 +0000\n" +
	"Message-ID: <m1@customer.example>\n\nHello,\n\ndo your tours include snow shoes?\n\nRegards,\nPat Quill\n"

func TestAContactListIsReadInItsDialects(t *testing.T) {
	t.Parallel()
	for name, file := range map[string]string{
		"comma":                  "email,name\npat@customer.example,Pat\npat@customer.example,Patricia\n",
		"semicolon":              "name;email\nPat;pat@customer.example\nPatricia;PAT@customer.example\n",
		"tab":                    "Email\tName\npat@customer.example\tPat\npat@customer.example\tPatricia\n",
		"tabs, an empty cell":    "email\tname\tcompany\npat@customer.example\t\tHuts\npat@customer.example\tPatricia\t\n",
		"byte order mark, CRLF":  "\ufeffE-Mail;Name\r\npat@customer.example;Pat\r\npat@customer.example;Patricia\r\n",
		"quoted, a line break":   "email,name\npat@customer.example,\"Pat\nQuill\"\n\"pat@customer.example\",\"Patricia, \"\"Pat\"\"\"\n",
		"other columns besides":  "id,colour,EMAIL\n1,red,pat@customer.example\n2,blue,pat@customer.example\n",
		"two addresses in a row": "email\nann@customer.example; pat@customer.example\npat@customer.example\n",
	} {
		c := compared(t, file)
		if c.Rows != 2 || len(c.Duplicates) != 1 || len(c.HeldTwice) != 1 || !c.HeldTwice[0].Sure || len(c.Missing) != 0 || len(c.Unusable) != 0 {
			t.Errorf("%s: %+v", name, c)
		}
	}
}

func TestWhoIsMissingInAContactList(t *testing.T) {
	t.Parallel()
	if c := compared(t, "email\nann@customer.example\n"); len(c.Missing) != 1 || c.Missing[0].Address != "pat@customer.example" {
		t.Errorf("missing: %+v", c.Missing)
	}
	// Another spelling of the mailbox may be the same person: nobody is missing,
	// and nobody is held twice.
	if c := compared(t, "email\np.at+list@customer.example\n"); len(c.Missing) != 0 || len(c.HeldTwice) != 0 {
		t.Errorf("another spelling: missing %+v, twice %+v", c.Missing, c.HeldTwice)
	}
	c := compared(t, "email\np.at+list@customer.example\npat@customer.example\n")
	if len(c.Duplicates) != 0 || len(c.HeldTwice) != 1 || c.HeldTwice[0].Sure {
		t.Errorf("two spellings: duplicates %+v, twice %+v", c.Duplicates, c.HeldTwice)
	}
}

// A name or a telephone never makes two rows one.
func TestRowsAreJoinedByAnIdentityKeyAlone(t *testing.T) {
	t.Parallel()
	if c := compared(t, "email,name,phone,customer_id\na@customer.example,Ann,+44 20 7946 0000,\nb@customer.example,Ann,+44 20 7946 0000,\n"); len(c.Duplicates) != 0 {
		t.Errorf("duplicates %+v", c.Duplicates)
	}
	c := compared(t, "email,customer_id\na@customer.example,C-1\nb@customer.example,C-1\nb@customer.example,C-2\n,C-2\n")
	if len(c.Duplicates) != 1 || len(c.Duplicates[0].Rows) != 4 || len(c.Duplicates[0].Why) != 2 {
		t.Errorf("a chain of keys: %+v", c.Duplicates)
	}
	// A shared inbox identifies nobody, and a row of nothing else is of no use.
	c = compared(t, "email\ninfo@customer.example\ninfo@customer.example\n")
	if len(c.Duplicates) != 0 || len(c.Unusable) != 2 || c.Unusable[1].Line != 3 {
		t.Errorf("shared: %+v", c)
	}
}

func TestWhatIsNoContactListIsRefusedWithItsLine(t *testing.T) {
	t.Parallel()
	for file, want := range map[string]string{
		"":                                    "it is empty",
		"name,phone\nAnn,1\n":                 "line 1 has no column called email or customer_id",
		"email,E-Mail\na,b\n":                 "line 1 names the column email twice",
		"email,name\na@example.com\n":         "line 2: wrong number of fields",
		"email\n\"a@example.com\n":            "line 2: ",
		"email\nok@example.com\nsecret\"x\n":  "line 3: ",
		"email,name\na@example.com,M\xfcller": "line 2 is not in UTF-8",
		"\xff\xfee\x00m\x00":                  "line 1 is not in UTF-8",
	} {
		_, err := mailbox.ReadContacts([]byte(file))
		if !errors.Is(err, mailbox.ErrContacts) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", file, err, want)
		}
		if err != nil && (strings.Contains(err.Error(), "secret") || strings.Contains(err.Error(), "example.com")) {
			t.Errorf("the error quotes the file: %v", err)
		}
	}
}

// As the exports of CRMs and address books call them; the plain names go first.
func TestAContactListOfACRMHasItsNamesInParts(t *testing.T) {
	t.Parallel()
	for file, want := range map[string]mailbox.Row{
		"First Name,Last Name,E-mail,Company name,Phone Number\nPat,Quill,pat@customer.example,Huts,123\n": {Name: "Pat Quill", Company: "Huts", Phone: "123"},
		"Last name;Email;Phone;Phone number\nQuill;pat@customer.example;123;456\n":                         {Name: "Quill", Phone: "123"},
		"Name,First Name,Email,Company,Company Name\nPat Quill,P,pat@customer.example,,Huts\n":             {Name: "Pat Quill"},
	} {
		list, err := mailbox.ReadContacts([]byte(file))
		if err != nil || len(list.Rows()) != 1 {
			t.Fatalf("%q: %v", file, err)
		}
		if r := list.Rows()[0]; r.Name != want.Name || r.Company != want.Company || r.Phone != want.Phone {
			t.Errorf("%q: %+v", file, r)
		}
	}
}

func TestAFurtherColumnIsReadIfItIsThereOnce(t *testing.T) {
	t.Parallel()
	list, err := mailbox.ReadContacts([]byte("email,Opted out\npat@customer.example, yes \nann@customer.example,\n"), "opted OUT")
	if err != nil || list.Rows()[0].Also("opted OUT") != "yes" || list.Rows()[1].Also("opted OUT") != "" {
		t.Errorf("%+v, %v", list, err)
	}
	for _, file := range []string{"email\npat@customer.example\n", "email,opted out,Opted Out\npat@customer.example,,\n"} {
		if _, err := mailbox.ReadContacts([]byte(file), "opted out"); !errors.Is(err, mailbox.ErrContacts) {
			t.Errorf("%q: %v", file, err)
		}
	}
}

func FuzzReadContacts(f *testing.F) {
	for _, seed := range []string{"email\na@example.com\n", "\ufeffname;customer_id\n\"a\";1", "email,name\n\"", "\xff"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, file []byte) {
		if list, err := mailbox.ReadContacts(file); (list == nil) != (err != nil) || err != nil && !errors.Is(err, mailbox.ErrContacts) {
			t.Errorf("list %v, error %v", list, err)
		}
	})
}
