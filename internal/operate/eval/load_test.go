package eval_test

import (
	"errors"
	"strings"
	"testing"
	"testing/fstest"

	"onefold/internal/operate/eval"
)

const goodCase = `language: en
class: enquiry
sender_email: alex@example.com
contact_name: Alex Morgan | A. Morgan
company: -
phone: -
intent: pricing
opt_out: none
needs_review: no
tags: name_header, typos
-- mail --
From: Alex Morgan <alex@example.com>

What does it cost?
`

func TestCaseIsReadAsWritten(t *testing.T) {
	t.Parallel()
	cases, err := eval.Load(fstest.MapFS{
		"open/enquiry/en-a.txt":  {Data: []byte(goodCase)},
		"aside/enquiry/en-b.txt": {Data: []byte(goodCase)},
		"open/README.md":         {Data: []byte("no case")},
	})
	if err != nil || len(cases) != 2 {
		t.Fatal(err, len(cases))
	}
	c := cases[0]
	if c.ID != "en-a" || c.Half != eval.Open || c.Meaning != "enquiry" || cases[1].Half != eval.Aside {
		t.Errorf("%+v", c)
	}
	if len(c.Labels.ContactName) != 2 || c.Labels.Company != nil || len(c.Labels.Tags) != 2 {
		t.Errorf("%+v", c.Labels)
	}
	if want := "From: Alex Morgan <alex@example.com>\r\n\r\nWhat does it cost?\r\n"; string(c.Mail) != want {
		t.Errorf("%q", c.Mail)
	}
}

func TestLineEndsOfACheckoutChangeNothing(t *testing.T) {
	t.Parallel()
	read := func(text string) string {
		cases, err := eval.Load(fstest.MapFS{"open/enquiry/en-a.txt": {Data: []byte(text)}})
		if err != nil {
			t.Fatal(err)
		}
		return string(cases[0].Mail)
	}
	if read(goodCase) != read(strings.ReplaceAll(goodCase, "\n", "\r\n")) {
		t.Error("another mail")
	}
}

func TestCaseOutsideTheFormIsRefused(t *testing.T) {
	t.Parallel()
	for rule, change := range map[string][2]string{
		"no mail":                    {"-- mail --", "-- letter --"},
		"unknown class":              {"class: enquiry", "class: letter"},
		"unknown intent":             {"intent: pricing", "intent: buy"},
		"unknown wish":               {"opt_out: none", "opt_out: maybe"},
		"review neither yes nor no":  {"needs_review: no", "needs_review: perhaps"},
		"label missing":              {"phone: -\n", ""},
		"label unknown":              {"phone: -", "phone: -\nfax: -"},
		"label twice":                {"phone: -", "phone: -\nphone: -"},
		"label empty":                {"phone: -", "phone: "},
		"plain wish, other intent":   {"opt_out: none", "opt_out: plain"},
		"opt-out intent, no wish":    {"intent: pricing", "intent: opt_out"},
		"doubtful wish, no review":   {"opt_out: none", "opt_out: doubtful"},
		"twin without what it wants": {"phone: -", "phone: -\ntwin: en-b"},
	} {
		t.Run(rule, func(t *testing.T) {
			t.Parallel()
			text := strings.Replace(goodCase, change[0], change[1], 1)
			if text == goodCase {
				t.Fatal("nothing was changed")
			}
			_, err := eval.Load(fstest.MapFS{"open/enquiry/en-a.txt": {Data: []byte(text)}})
			if !errors.Is(err, eval.ErrCase) {
				t.Error(err)
			}
		})
	}
}

func TestOneIDTwiceIsRefused(t *testing.T) {
	t.Parallel()
	file := &fstest.MapFile{Data: []byte(goodCase)}
	_, err := eval.Load(fstest.MapFS{"open/enquiry/en-a.txt": file, "aside/pitch/en-a.txt": file})
	if !errors.Is(err, eval.ErrCase) {
		t.Error(err)
	}
}

func TestAFaultIsToldWithFileAndLine(t *testing.T) {
	t.Parallel()
	for rule, c := range map[string]struct{ from, to, want string }{
		"unknown word":   {"intent: pricing", "intent: buy", "open/enquiry/en-a.txt:7: labelled case not understood: intent: it is one of product_question,"},
		"unknown label":  {"phone: -", "phone: -\nfax: -", "open/enquiry/en-a.txt:7: labelled case not understood: there is no label of this name"},
		"label twice":    {"phone: -", "phone: -\nphone: -", "open/enquiry/en-a.txt:7: labelled case not understood: the label phone stands in line 6 too"},
		"no value":       {"phone: -", "phone:", "open/enquiry/en-a.txt:6: labelled case not understood: it is not of the form"},
		"label missing":  {"phone: -\n", "", "open/enquiry/en-a.txt: labelled case not understood: phone: the label is missing"},
		"no mail":        {"-- mail --", "-- letter --", "open/enquiry/en-a.txt: labelled case not understood: the line \"-- mail --\" is missing"},
		"empty spelling": {"A. Morgan", "", "open/enquiry/en-a.txt:4: labelled case not understood: contact_name: a spelling is empty"},
	} {
		t.Run(rule, func(t *testing.T) {
			t.Parallel()
			text := strings.Replace(goodCase, c.from, c.to, 1)
			_, err := eval.Load(fstest.MapFS{"open/enquiry/en-a.txt": {Data: []byte(text)}})
			if err == nil || !strings.HasPrefix(err.Error(), c.want) {
				t.Errorf("got %v, want %s", err, c.want)
			}
		})
	}
}

func TestASetWithoutHalvesIsAllOpen(t *testing.T) {
	t.Parallel()
	own := fstest.MapFS{"one.txt": {Data: []byte(goodCase)}, "pitch/two.txt": {Data: []byte(goodCase)}}
	cases, err := eval.Load(own)
	if err != nil || len(cases) != 2 || cases[0].Half != eval.Open || cases[1].Meaning != "pitch" {
		t.Fatal(err, cases)
	}
	if _, err := eval.Load(own, eval.Aside); !errors.Is(err, eval.ErrCase) {
		t.Error("an empty half:", err)
	}
	if _, err := eval.Load(fstest.MapFS{}); !errors.Is(err, eval.ErrCase) {
		t.Error("an empty set:", err)
	}
}
