package hubspot_test

import (
	"errors"
	"html"
	"reflect"
	"strings"
	"testing"
	"time"
	"unicode/utf16"

	"pgregory.net/rapid"

	"onefold/internal/crm"
	"onefold/internal/crm/hubspot"
	"onefold/internal/crm/hubspottest"
)

func TestNameIsSplitWithoutLoss(t *testing.T) {
	t.Parallel()
	srv := start(t, hubspottest.Options{})
	c := newReady(t, srv.URL())
	for _, n := range []struct{ name, first, last string }{
		{"Ann Smith", "Ann", "Smith"},
		{"  Ann   Smith ", "Ann", "Smith"},
		{"Smith, Ann", "Ann", "Smith"},
		{"Ann", "Ann", ""},
		{"Ann Mary Smith", "Ann Mary", "Smith"},
		{"Ludwig van Beethoven", "Ludwig", "van Beethoven"},
		{"Anna de la Cruz", "Anna", "de la Cruz"},
		{"Van Morrison", "Van", "Morrison"},
		{"Ann Smith, PhD", "Ann", "Smith, PhD"},
		{"Martin King Jr.", "Martin", "King Jr."},
		{"Ann\r\nSmith", "Ann", "Smith"},
		{"Smith,", "Smith,", ""},
		{"", "", ""},
	} {
		ref := "name-" + n.name
		if r := c.UpsertContact(t.Context(), crm.Contact{Ref: strings.TrimSpace(ref), Name: n.name}, ""); r.Outcome != crm.Done {
			t.Fatalf("%q: %+v", n.name, r)
		}
		all := srv.Contacts()
		got := all[len(all)-1].Properties
		if got["firstname"] != n.first || got["lastname"] != n.last {
			t.Errorf("%q became %q and %q, want %q and %q", n.name, got["firstname"], got["lastname"], n.first, n.last)
		}
	}
}

// TestBodyIsEscapedAndFits: whatever a stranger wrote, HubSpot takes it, shows
// it as text, and shows as much of it as fits.
func TestBodyIsEscapedAndFits(t *testing.T) {
	t.Parallel()
	srv := start(t, hubspottest.Options{})
	c := newReady(t, srv.URL())
	contact := c.UpsertContact(t.Context(), crm.Contact{Ref: "r"}, "")
	const limit, mark = 65536, "… [shortened by Onefold]"
	seen := map[string]int{}
	rapid.Check(t, func(rt *rapid.T) {
		piece := rapid.SampledFrom([]string{"a", "<b>", "&", "ä", "😀", "\n", "\x00", "\xff"}).Draw(rt, "piece")
		body := strings.Repeat(piece, rapid.SampledFrom([]int{1, 100, 13107, 13108, 32768, 65535, 65536, 65537}).Draw(rt, "times"))
		ref := "n" + body[:min(len(body), 4)] + time.Duration(len(body)).String()
		note := crm.Note{Ref: strings.ToValidUTF8(ref, "?"), ContactID: contact.ID, At: time.Unix(1, 0), Body: body}
		if r := c.UpsertNote(t.Context(), note); r.Outcome != crm.Done {
			rt.Fatalf("note of %d bytes: %+v", len(body), r)
		}
		seen[body]++
		if seen[body] > 1 {
			return
		}
		notes := srv.Notes()
		got := notes[len(notes)-1].Properties["hs_note_body"]
		n := len(utf16.Encode([]rune(got)))
		text := html.UnescapeString(strings.ReplaceAll(got, "<br>", "\n"))
		if strings.Contains(strings.ReplaceAll(got, "<br>", ""), "<") {
			rt.Fatal("markup came through")
		}
		plain := strings.ReplaceAll(strings.ToValidUTF8(body, "\uFFFD"), "\x00", " ")
		kept, short := strings.CutSuffix(text, mark)
		switch {
		case n > limit:
			rt.Fatalf("%d characters were sent", n)
		case !strings.HasPrefix(plain, kept):
			rt.Fatal("the text is not the beginning of the body")
		case !short && kept != plain:
			rt.Fatal("text was dropped without the mark")
		case short && n < limit-40:
			rt.Fatalf("shortened to %d characters though %d fit", n, limit)
		}
	})
}

func TestTaskTitleIsOneShortLine(t *testing.T) {
	t.Parallel()
	srv := start(t, hubspottest.Options{})
	c := newReady(t, srv.URL())
	contact := c.UpsertContact(t.Context(), crm.Contact{Ref: "r"}, "")
	task := crm.Task{Ref: "t", ContactID: contact.ID, Due: time.Unix(1, 0), Title: "Call\nback " + strings.Repeat("x", 300)}
	if r := c.UpsertTask(t.Context(), task); r.Outcome != crm.Done {
		t.Fatalf("%+v", r)
	}
	got := srv.Tasks()[0].Properties["hs_task_subject"]
	if !strings.HasPrefix(got, "Call back x") || !strings.HasSuffix(got, "x…") || len([]rune(got)) != 255 {
		t.Errorf("the title has %d characters: %q", len([]rune(got)), got)
	}
}

func TestContentThatHubSpotWouldRefuseIsRefusedBeforeAnyCall(t *testing.T) {
	t.Parallel()
	srv := start(t, hubspottest.Options{})
	c := newClient(t, srv.URL())
	at := time.Unix(1, 0)
	for rule, r := range map[string]crm.Result{
		"contact without reference": c.UpsertContact(t.Context(), crm.Contact{Email: "ann@example.com"}, ""),
		"note without reference":    c.UpsertNote(t.Context(), crm.Note{ContactID: "1", At: at}),
		"note without contact":      c.UpsertNote(t.Context(), crm.Note{Ref: "n", At: at}),
		"note without time":         c.UpsertNote(t.Context(), crm.Note{Ref: "n", ContactID: "1"}),
		"task without reference":    c.UpsertTask(t.Context(), crm.Task{ContactID: "1", Due: at}),
		"task without due time":     c.UpsertTask(t.Context(), crm.Task{Ref: "t", ContactID: "1"}),
	} {
		if want := (crm.Result{Outcome: crm.Refused, Reason: crm.ReasonInvalid}); !reflect.DeepEqual(r, want) {
			t.Errorf("%s: %+v, want %+v", rule, r, want)
		}
	}
	if calls := srv.Server.Calls(); len(calls) != 0 {
		t.Errorf("calls were made: %v", calls)
	}
}

func TestSetupMakesWhatIsMissingAndMayBeRepeated(t *testing.T) {
	t.Parallel()
	srv := start(t, hubspottest.Options{})
	c := newClient(t, srv.URL())
	if r := c.UpsertContact(t.Context(), crm.Contact{Ref: "r"}, ""); r.Outcome != crm.Refused || r.Reason != crm.ReasonSetup {
		t.Errorf("before setup: %+v, want a refusal for setup", r)
	}
	var errs [4]error
	done := make(chan int)
	for i := range errs {
		go func() {
			errs[i] = c.SetUp(t.Context())
			done <- i
		}()
	}
	for range errs {
		<-done
	}
	if err := errors.Join(errs[:]...); err != nil {
		t.Fatalf("concurrent setups: %v", err)
	}
	before := len(srv.Server.Calls())
	if err := c.SetUp(t.Context()); err != nil {
		t.Fatalf("repeated setup: %v", err)
	}
	for _, call := range srv.Server.Calls()[before:] {
		if call.Method != "GET" {
			t.Errorf("repeated setup made %s %s", call.Method, call.Path)
		}
	}
	if r := c.UpsertContact(t.Context(), crm.Contact{Ref: "r"}, ""); r.Outcome != crm.Done {
		t.Errorf("after setup: %+v", r)
	}
}

func TestSetupRefusesPropertyThatIsNotUnique(t *testing.T) {
	t.Parallel()
	srv := start(t, hubspottest.Options{Define: []hubspottest.Definition{{Type: "notes", Name: hubspot.PropEventKey}}})
	if err := newClient(t, srv.URL()).SetUp(t.Context()); !errors.Is(err, crm.ErrNotUnique) {
		t.Errorf("got %v, want ErrNotUnique", err)
	}
}

func TestSetupTellsWhyItFailed(t *testing.T) {
	t.Parallel()
	srv := start(t, hubspottest.Options{})
	srv.SetToken("another")
	err := newClient(t, srv.URL()).SetUp(t.Context())
	if !errors.Is(err, hubspot.ErrSetup) || !strings.Contains(err.Error(), crm.ReasonAuth) || strings.Contains(err.Error(), token) {
		t.Errorf("got %v, want ErrSetup with the reason and without the token", err)
	}
}
