package rules

import (
	"slices"
	"testing"

	"onefold/internal/reading/reader"
)

func TestEmbeddedVocabularyIsReadable(t *testing.T) {
	t.Parallel()
	v, err := loadVocabulary()
	if err != nil {
		t.Fatal(err)
	}
	for _, section := range []string{
		string(reader.Pricing), string(reader.Meeting), string(reader.Support), string(reader.ProductQuestion),
		reader.ReasonInstructions, reader.ReasonSensitive, reader.ReasonLegal,
		"closing", "not_a_name", "legal_form", "myself", "my_phone", "your",
	} {
		if !slices.ContainsFunc(slices.Concat(v[0].runs, v[1].runs), func(r run) bool { return r.section == section }) {
			t.Errorf("section %s is missing", section)
		}
	}
}

func TestVocabularyLineNotInPlainFormIsRefused(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"word", "[a]\nDon't", "[a]\nÄpfel", "[a]\ntwo  spaces"} {
		if _, err := readVocabulary(text); err == nil {
			t.Errorf("%q was read", text)
		}
	}
}

func TestPlainJoinsApostrophesAndDropsMarks(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"  Don’t  SHOUT, Café-Straße!": "dont shout cafe strasse",
		"a\u200bb\u00a0ｃ":              "ab c",
		"":                             "",
		"…":                            "",
	} {
		if got := plain(text); got != want {
			t.Errorf("plain(%q) = %q, want %q", text, got, want)
		}
	}
}

func TestHiddenTextIsToldFromHonestJoiners(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"pass\u200bword":        true,
		"a\u202Eb":              true,
		"x\U000E0061\U000E0062": true,
		"\uFEFFHello":           false,
		"Hello \u200b world":    false,
		"می\u200cخواهم":         false,
		"👩\u200d💻":              false,
		"🏴\U000E0067\U000E0062": false,
		"soft\u00adhyphen":      false,
	} {
		if got := hidesText(text); got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}
