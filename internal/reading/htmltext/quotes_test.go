package htmltext_test

import (
	"testing"

	"onefold/internal/reading/htmltext"
)

// What mail programs write around an older mail, as their own mails have it.
func TestReading02AMailProgramsOwnContainerIsAQuotation(t *testing.T) {
	t.Parallel()
	for src, want := range map[string]string{
		`<p>New</p><hr><div id="divRplyFwdMsg"><b>Od:</b> Ann<br><b>Komu:</b> Bob</div><div>Old<br>too</div>`:                                                      "New\n>\n> Od: Ann\n> Komu: Bob\n> Old\n> too",
		`<div>New</div><div id="x_divRplyFwdMsg">Od: Ann</div>Old`:                                                                                                 "New\n> Od: Ann\n> Old",
		`<p>New</p><div><div style="border:none;border-top:solid #E1E1E1 1.0pt;padding:3.0pt 0in 0in 0in"><p>Od: Ann</p></div></div><p>Old</p>`:                    "New\n>\n> Od: Ann\n>\n> Old",
		`New<div class="gmail_quote gmail_quote_container"><div dir="ltr" class="gmail_attr">Ann:<br></div><blockquote class="gmail_quote">Old</blockquote></div>`: "New\n> > Ann:\n> > Old",
		`New<div style="padding-top: 5px; border-top-color: rgb(229, 229, 229); border-top-width: 1px; border-top-style: solid;">От: Ann</div><div>Old</div>`:      "New\n> От: Ann\n> Old",
		// Answers between the quotations of Gmail are the writer's.
		`New<div class="gmail_quote"><blockquote class="gmail_quote">Old</blockquote><div>Answer</div><blockquote>Older</blockquote>Second</div>`: "New\n> > Old\n\nAnswer\n> Older\n\nSecond",
		`New<div class="yahoo_quoted"><div>Ann:</div><div>Old</div></div><div>More</div>`:                                                         "New\n> Ann:\n> Old\nMore",
		`New<div class="moz-cite-prefix">Ann:</div><blockquote type="cite">Old</blockquote>More`:                                                  "New\n> Ann:\n> Old\n\nMore",
		// A design, and words that look like a container's.
		`New<div style="border-top:1px solid #ccc;padding:3px">Offer</div>`:            "New\nOffer",
		`New<div class="quote-request" id="quote">Two tents</div>`:                     "New\nTwo tents",
		`<div hidden><div id="divRplyFwdMsg">x</div></div>New`:                         "New",
		`<div class="gmail_quote"><span style="display:none">x</span></div><p>New</p>`: "New",
	} {
		if got := htmltext.Render(src, 1000); got != want {
			t.Errorf("%s\n got %q\nwant %q", src, got, want)
		}
	}
}
