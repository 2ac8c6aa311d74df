package wish

import (
	"errors"
	"testing"
	"testing/fstest"
)

func TestEmbeddedListsAreReadable(t *testing.T) {
	t.Parallel()
	lists, err := loadLists()
	if err != nil {
		t.Fatal(err)
	}
	if n := len(lists.languages); n != 12 {
		t.Errorf("%d languages, want 12", n)
	}
	for _, l := range lists.languages {
		if len(l.word) == 0 || len(l.phrases) == 0 || len(l.not) == 0 || len(l.ask) == 0 {
			t.Errorf("%s: a section is empty", l.name)
		}
		for _, p := range append(append([]phrase{}, l.word...), l.phrases...) {
			// A pattern that an empty text matches would stop everything.
			if p.pattern.match(nil, 0, 0) >= 0 {
				t.Errorf("%s: a pattern of %s has only optional words", l.name, p.id)
			}
		}
	}
}

func TestListLineOutsideASectionIsRefused(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"stop = stop", "[phrase]\nno id", "[polite]\nid = thanks", "[nonsense]\na = b"} {
		_, err := readLists(fstest.MapFS{"words/xx.txt": {Data: []byte(text)}})
		if !errors.Is(err, errListForm) {
			t.Errorf("%q: %v, want errListForm", text, err)
		}
	}
}

func TestPatternAlternativesOptionsAndPrefixes(t *testing.T) {
	t.Parallel()
	items := newItemIndex()
	p, err := items.pattern("take|remove me please? off* liste?", nil)
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]int{
		"take me off":              3,
		"remove me please offline": 4,
		"take me off liste":        4,
		"take me of":               -1,
		"take me. off":             -1, // another sentence
		"me take off":              -1,
	} {
		if got := p.matchAt(read(text).words, 0); got != want {
			t.Errorf("%q: %d, want %d", text, got, want)
		}
	}
}

func TestFramesAreWrittenOutForEachLanguage(t *testing.T) {
	t.Parallel()
	const classes = "[class]\nneg = ne|n\nnews = pub|lettres\npost = mail\nthings = offres\nlists = liste\naddr = adresse\nyour = vos\n" +
		"send = envoyer|envoyez\nme = moi\n\n[elide]\nme = m\nneg = n\n"
	files := fstest.MapFS{
		"words/xx.txt": {Data: []byte(classes)},
		"words/frames": {Data: []byte("[frame]\nno_more = @neg @send @news\n[net]\nsend_me = @send @me\n")},
	}
	lists, err := readLists(files)
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]Finding{
		"n'envoyez rien de vos lettres":     {OptOutExplicit, "no_more", "xx"}, // one word of two sets
		"vos lettres, n'envoyez rien":       {OptOutNone, "", ""},              // a clause is between
		"rien de m'envoyer":                 {OptOutDoubtful, "send_me", "xx"},
		"envoyer. moi":                      {OptOutNone, "", ""},
		"envoyer a b c d e f g h i j k moi": {OptOutNone, "", ""}, // too far
	} {
		if got := lists.judge(lists.read(text)); got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}

func TestFramesOutsideTheFormAreRefused(t *testing.T) {
	t.Parallel()
	for what, files := range map[string]fstest.MapFS{
		"no section":    {"words/xx.txt": {Data: []byte("[class]\na = b")}, "words/frames": {Data: []byte("x = @a")}},
		"no class":      {"words/xx.txt": {Data: []byte("[class]\na = b")}, "words/frames": {Data: []byte("[net]\nx = @c")}},
		"a gap":         {"words/xx.txt": {Data: []byte("[class]\na = b")}, "words/frames": {Data: []byte("[net]\nx = @a .. @a")}},
		"class twice":   {"words/xx.txt": {Data: []byte("[class]\na = b\na = c")}},
		"no class used": {"words/xx.txt": {Data: []byte("[class]\na = b")}, "words/frames": {Data: []byte("[net]\nx = @a")}},
	} {
		if _, err := readLists(files); !errors.Is(err, errListForm) {
			t.Errorf("%s: %v, want errListForm", what, err)
		}
	}
}
