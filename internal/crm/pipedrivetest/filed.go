package pipedrivetest

import (
	"net/http"
	"slices"
	"strconv"
	"time"
)

func (a *Account) listNotes(r request) answer {
	if !r.knows("person_id", "start", "limit", "sort") || !slices.Contains([]string{"", "id ASC", "id DESC"}, r.query.Get("sort")) {
		return refusal(http.StatusBadRequest)
	}
	all := []Note{}
	for _, n := range a.notes {
		if n.Active && strconv.FormatInt(n.Person, 10) == r.query.Get("person_id") {
			all = append(all, *n)
		}
	}
	if r.query.Get("sort") == "id DESC" {
		slices.Reverse(all)
	}
	start, end, ok := r.window(len(all), "start")
	if !ok {
		return refusal(http.StatusBadRequest)
	}
	out := data(all[start:end])
	more := map[string]any{"start": start, "limit": end - start, "more_items_in_collection": end < len(all)}
	if end < len(all) {
		more["next_start"] = end
	}
	out.body["additional_data"] = map[string]any{"pagination": more}
	return out
}

// addNote needs a content and a person who is there. API v1 takes other members
// without a word.
func (a *Account) addNote(r request) answer {
	var in Note
	if !r.into(&in, false) || in.Content == "" || len(in.Content) > 100_000 || a.live(in.Person) == nil {
		return refusal(http.StatusBadRequest)
	}
	if _, err := time.Parse(time.DateTime, in.Added); err != nil && in.Added != "" {
		return refusal(http.StatusBadRequest)
	}
	in.ID, in.Active = a.id(), true
	a.notes = append(a.notes, &in)
	return data(in)
}

// listActivities lists those whose primary participant a person is.
func (a *Account) listActivities(r request) answer {
	if !r.knows("person_id", "limit", "sort_by", "sort_direction", "cursor") || !slices.Contains([]string{"", "id"}, r.query.Get("sort_by")) {
		return refusal(http.StatusBadRequest)
	}
	all := []Activity{}
	for _, n := range a.activities {
		if !n.Deleted && strconv.FormatInt(n.Person, 10) == r.query.Get("person_id") {
			all = append(all, *n)
		}
	}
	if r.query.Get("sort_direction") == "desc" {
		slices.Reverse(all)
	}
	return page(r, all)
}

// addActivity takes a person as the primary participant alone: person_id is
// read-only.
func (a *Account) addActivity(r request) answer {
	var in struct {
		Subject      string        `json:"subject"`
		Type         string        `json:"type"`
		Note         string        `json:"note"`
		Participants []Participant `json:"participants"`
		DueDate      string        `json:"due_date"`
		DueTime      string        `json:"due_time"`
		Done         bool          `json:"done"`
	}
	if !r.into(&in, true) || !slices.Contains([]string{"call", "meeting", "task", "deadline", "email", "lunch"}, in.Type) {
		return refusal(http.StatusBadRequest)
	}
	n := &Activity{Subject: in.Subject, Type: in.Type, Note: in.Note, Participants: in.Participants, DueDate: in.DueDate, Done: in.Done}
	for _, p := range in.Participants {
		if a.live(p.Person) == nil || p.Primary && n.Person != 0 {
			return refusal(http.StatusBadRequest)
		}
		if p.Primary {
			n.Person = p.Person
		}
	}
	at, err := time.Parse("2006-01-02 15:04", in.DueDate+" "+in.DueTime)
	if err != nil {
		return refusal(http.StatusBadRequest)
	}
	n.ID, n.DueTime = a.id(), at.Format(time.TimeOnly)
	a.activities = append(a.activities, n)
	return data(n)
}
