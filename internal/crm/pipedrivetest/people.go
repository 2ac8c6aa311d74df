package pipedrivetest

import (
	"slices"
	"time"
)

// What the people of the account do, and what a test sees of it.

func (a *Account) locked(do func()) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.land()
	do()
}

// Pass lets time go by.
func (a *Account) Pass(d time.Duration) { a.locked(func() { a.passed += d; a.land() }) }

// Add makes a person, as a colleague does in the application.
func (a *Account) Add(p Person) (id int64) {
	a.locked(func() {
		p.ID = a.id()
		if p.Custom == nil {
			p.Custom = map[string]string{}
		}
		a.persons = append(a.persons, &p)
		a.saved(&p, a.now())
	})
	return p.ID
}

// Edit changes a person; false is that there is none.
func (a *Account) Edit(id int64, change func(*Person)) (ok bool) {
	a.locked(func() {
		if p := a.live(id); p != nil {
			change(p)
			a.saved(p, a.now())
			ok = true
		}
	})
	return ok
}

// AddNote makes a note, as a colleague does.
func (a *Account) AddNote(person int64, content string) {
	a.locked(func() { a.notes = append(a.notes, &Note{ID: a.id(), Content: content, Person: person, Active: true}) })
}

// EditNote changes a note.
func (a *Account) EditNote(id int64, change func(*Note)) {
	a.locked(func() { change(a.notes[slices.IndexFunc(a.notes, func(n *Note) bool { return n.ID == id })]) })
}

// EditActivity changes an activity.
func (a *Account) EditActivity(id int64, change func(*Activity)) {
	a.locked(func() {
		change(a.activities[slices.IndexFunc(a.activities, func(n *Activity) bool { return n.ID == id })])
	})
}

// Delete marks a person as deleted; for 30 days it can be read.
func (a *Account) Delete(id int64) { a.Edit(id, func(p *Person) { p.Deleted = true }) }

// Merge merges a person into another: what the other has stays, what it lacks it
// gets, notes and activities become its own, and the first is deleted.
func (a *Account) Merge(loser, into int64) {
	a.locked(func() {
		l, w := a.live(loser), a.live(into)
		if w.Name == "" {
			w.Name = l.Name
		}
		if len(w.Emails) == 0 {
			w.Emails = slices.Clone(l.Emails)
		}
		if len(w.Phones) == 0 {
			w.Phones = slices.Clone(l.Phones)
		}
		for code, value := range l.Custom {
			if w.Custom[code] == "" {
				w.Custom[code] = value
			}
		}
		for _, n := range a.notes {
			if n.Person == loser {
				n.Person = into
			}
		}
		for _, n := range a.activities {
			if n.Person == loser {
				n.Person, n.Participants = into, []Participant{{into, true}}
			}
		}
		l.Deleted = true
		a.saved(w, a.now())
		a.saved(l, a.now())
		if a.opts.MergedIsGone {
			a.persons = slices.DeleteFunc(a.persons, func(p *Person) bool { return p == l })
		}
	})
}

// AddField makes a custom field of persons.
func (a *Account) AddField(name, kind string) { a.locked(func() { a.field(name, kind) }) }

// DropField deletes a custom field of persons with all its values.
func (a *Account) DropField(name string) {
	a.locked(func() {
		code := a.code(name)
		a.fields = slices.DeleteFunc(a.fields, func(f Field) bool { return f.Code == code })
		for _, p := range a.persons {
			delete(p.Custom, code)
			a.saved(p, a.now())
		}
	})
}

// Fields are the custom fields of persons.
func (a *Account) Fields() (out []Field) {
	a.locked(func() { out = slices.DeleteFunc(slices.Clone(a.fields), func(f Field) bool { return !f.Custom }) })
	return out
}

// Code is the code of a custom field.
func (a *Account) Code(name string) (code string) {
	a.locked(func() { code = a.code(name) })
	return code
}

// Persons are those that are not deleted, the oldest first.
func (a *Account) Persons() (out []Person) {
	a.locked(func() {
		for _, p := range a.persons {
			if !p.Deleted {
				out = append(out, p.clone())
			}
		}
	})
	return out
}

// Notes are the notes, the oldest first.
func (a *Account) Notes() (out []Note) {
	a.locked(func() {
		for _, n := range a.notes {
			out = append(out, *n)
		}
	})
	return out
}

// Activities are the activities, the oldest first.
func (a *Account) Activities() (out []Activity) {
	a.locked(func() {
		for _, n := range a.activities {
			out = append(out, *n)
		}
	})
	return out
}

// SetToken changes the accepted token, as when one is made anew.
func (a *Account) SetToken(token string) { a.locked(func() { a.token = token }) }
