package hubspottest_test

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"onefold/internal/crm/hubspottest"
)

// TestRestoredJournalIsTheSameCRM makes random changes and restores them into
// a second server, which must have the same records and refuse the same
// values.
func TestRestoredJournalIsTheSameCRM(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var lines [][]byte
		opts := withRef()
		opts.Persist = func(line []byte) error {
			lines = append(lines, append([]byte(nil), line...))
			return nil
		}
		first := hubspottest.New(opts)
		addresses := []string{"a@example.com", "b@example.com", "c@example.com", ""}
		refs := []string{"1", "2", ""}
		var ids []string
		for range rapid.IntRange(0, 12).Draw(t, "steps") {
			p := map[string]string{
				"email": rapid.SampledFrom(addresses).Draw(t, "email"),
				"ref":   rapid.SampledFrom(refs).Draw(t, "ref"),
			}
			// A refused change is part of the test: it must leave no line.
			before := len(lines)
			var err error
			if len(ids) > 0 && rapid.Bool().Draw(t, "edit") {
				id := rapid.SampledFrom(ids).Draw(t, "id")
				if rapid.IntRange(0, 3).Draw(t, "how") == 0 {
					err = first.Archive("contacts", id)
				} else {
					err = first.Edit("contacts", id, p)
				}
			} else {
				var id string
				if id, err = first.Seed("contacts", p); err == nil {
					ids = append(ids, id)
				}
			}
			if (err == nil) != (len(lines) == before+1) {
				t.Fatalf("error %v, and %d new lines", err, len(lines)-before)
			}
		}

		second := hubspottest.New(withRef())
		for _, line := range lines {
			if err := second.Restore(line); err != nil {
				t.Fatal(err)
			}
		}
		if a, b := first.Contacts(), second.Contacts(); !reflect.DeepEqual(a, b) {
			t.Fatalf("restored %v, had %v", b, a)
		}
		for _, address := range addresses[:3] {
			_, errFirst := first.Seed("contacts", map[string]string{"email": address})
			_, errSecond := second.Seed("contacts", map[string]string{"email": address})
			if (errFirst == nil) != (errSecond == nil) {
				t.Fatalf("the two differ on %s: %v and %v", address, errFirst, errSecond)
			}
		}
	})
}

func TestChangeThatCannotBePersistedIsUndone(t *testing.T) {
	t.Parallel()
	full := false
	opts := withRef()
	opts.Persist = func([]byte) error {
		if full {
			return errors.New("disk is full")
		}
		return nil
	}
	srv := start(t, opts)
	id, err := srv.Seed("contacts", map[string]string{"email": "ann@example.com", "ref": "1"})
	if err != nil {
		t.Fatal(err)
	}
	before := srv.Contacts()
	full = true
	code, _ := do(t, srv, "PATCH", objects+"contacts/"+id, props(map[string]string{"ref": "2"}))
	status(t, "update", code, http.StatusInternalServerError)
	code, _ = do(t, srv, "POST", objects+"contacts/batch/upsert", inputs(input("ref", "3", nil)))
	status(t, "upsert", code, http.StatusInternalServerError)
	if after := srv.Contacts(); !reflect.DeepEqual(before, after) {
		t.Errorf("contacts became %v, were %v", after, before)
	}
	full = false
	code, _ = do(t, srv, "POST", objects+"contacts/batch/upsert", inputs(input("ref", "1", nil)))
	status(t, "upsert of the kept reference", code, http.StatusOK)
	if n := len(srv.Contacts()); n != 1 {
		t.Errorf("%d contacts, want 1", n)
	}
}

func TestReadPersistsNothing(t *testing.T) {
	t.Parallel()
	srv := start(t, hubspottest.Options{Persist: func([]byte) error { return errors.New("must not be called") }})
	code, _ := do(t, srv, "GET", objects+"contacts/1", nil)
	status(t, "read", code, http.StatusNotFound)
}

func TestTornLineIsRefused(t *testing.T) {
	t.Parallel()
	srv := hubspottest.New(hubspottest.Options{})
	if err := srv.Restore([]byte(`{"records":[{"type":"contacts","id":"101","prop`)); err == nil {
		t.Error("half a line was restored")
	}
	if err := srv.Restore([]byte(`{"records":[{"type":"deals","id":"101"}]}`)); err == nil {
		t.Error("a record of an unknown type was restored")
	}
	if n := len(srv.Contacts()); n != 0 {
		t.Errorf("%d contacts, want 0", n)
	}
}

func TestPageEscapesStrangersText(t *testing.T) {
	t.Parallel()
	srv := hubspottest.New(hubspottest.Options{})
	if _, err := srv.Seed("contacts", map[string]string{"firstname": "<script>alert(1)</script>"}); err != nil {
		t.Fatal(err)
	}
	get := func(path string) string {
		w := httptest.NewRecorder()
		srv.ServeHTTP(w, httptest.NewRequest("GET", path, nil))
		b, err := io.ReadAll(w.Result().Body)
		if err != nil || w.Code != http.StatusOK {
			t.Fatalf("GET %s: status %d, %v", path, w.Code, err)
		}
		return string(b)
	}
	if page := get("/"); strings.Contains(page, "<script") || !strings.Contains(page, "&lt;script&gt;alert(1)") {
		t.Error("the page does not show the name escaped")
	}
	if data := get("/records.json"); !strings.Contains(data, `"notes":[]`) || !strings.Contains(data, "alert(1)") {
		t.Errorf("records.json is %s", data)
	}
}
