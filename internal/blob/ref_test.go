package blob_test

import (
	"errors"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"onefold/internal/blob"
)

// What a reference is refused for is in blobtest, since every store must.

func TestReferenceIsOfTenantEventAndContent(t *testing.T) {
	t.Parallel()
	// The hash is SHA-256 of "abc" (FIPS 180-4, example B.1).
	const abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
	ref := blob.RefOf("acme", "form/website/msg_1", []byte("abc"))
	tenant, event, content, err := ref.Parts()
	if err != nil || tenant != "acme" || content != abc || len(event) != 40 {
		t.Errorf("parts %q, %q, %q, %v", tenant, event, content, err)
	}
	if strings.Contains(string(ref), "website") {
		t.Errorf("%s holds words of the event, which may be personal", ref)
	}
}

func TestReferencesDifferWithEachPartAndFitTheirContentOnly(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		tenant := rapid.StringMatching(`[a-z0-9][a-z0-9-]{0,39}`).Draw(t, "tenant")
		event := rapid.String().Draw(t, "event")
		content := rapid.SliceOf(rapid.Byte()).Draw(t, "content")
		ref := blob.RefOf(tenant, event, content)
		if _, _, _, err := ref.Parts(); err != nil {
			t.Fatalf("%s: %v", ref, err)
		}
		if !ref.Fits(content) || ref.Fits(append(content[:len(content):len(content)], 0)) {
			t.Fatalf("%s does not know its content", ref)
		}
		for _, another := range []blob.Ref{
			blob.RefOf(tenant+"x", event, content), blob.RefOf(tenant, event+"x", content), blob.RefOf(tenant, event, append(content[:len(content):len(content)], 0)),
		} {
			if another == ref {
				t.Fatalf("two contents share %s", ref)
			}
		}
		if blob.RefOf(tenant, event, content) != ref {
			t.Fatal("the same has two names")
		}
	})
}

func TestReferenceFromOutsideFitsNothing(t *testing.T) {
	t.Parallel()
	for _, ref := range []blob.Ref{"", "acme/e/h", "../" + blob.RefOf("acme", "e", nil), blob.RefOf("a b", "e", nil)} {
		if _, _, _, err := ref.Parts(); !errors.Is(err, blob.ErrInvalid) {
			t.Errorf("%q: %v, want ErrInvalid", ref, err)
		}
		if ref.Fits(nil) {
			t.Errorf("%q fits", ref)
		}
	}
}
