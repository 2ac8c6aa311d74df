package planted

import "strings"

// Whole is some 150 mails in three languages with everything that the audit
// looks for.
func Whole() *Mailbox {
	p := newPlanter()
	p.play(english())
	p.play(german())
	p.play(french())
	p.cast = english()
	p.oddities()
	return p.done()
}

// Sample is every scene once.
func Sample() *Mailbox {
	p := newPlanter()
	p.play(english())
	p.oddities()
	return p.done()
}

func (p *planter) play(c cast) {
	p.cast = c
	p.answers()
	p.doubles()
	p.wishes()
	p.looks()
	p.others()
	p.alikes()
}

// Contacts is a contact list to go with either mailbox, and its truth goes into
// that of the mailbox.
func (b *Mailbox) Contacts() []byte {
	c := english()
	lines := []string{"\ufeffID;E-Mail;Name;Company;Phone;Customer_ID"}
	l := &ListTruth{}
	listed := map[string]bool{}
	row := func(id, email, name, customer string) int {
		lines = append(lines, strings.Join([]string{id, email, name, "", "", customer}, ";"))
		listed[strings.ToLower(email)] = true
		l.Rows++
		return len(lines)
	}
	w := c.who(quick)
	row("1", w.address, w.name, "")
	// One key in two spellings of its capitals.
	w = c.who(never)
	first := row("2", w.address, w.name, "")
	second := row("3", strings.ToUpper(w.address[:1])+w.address[1:], `"`+w.name+` (again)"`, "")
	l.Duplicates = append(l.Duplicates, []int{first, second})
	l.HeldTwice = append(l.HeldTwice, Twice{[]string{w.address}, true, []int{first, second}})
	// One customer under two addresses; neither has written.
	first, second = row("4", "old@customer.example", "Ray Pond", "C-1"), row("5", "new@customer.example", "Ray Pond", "C-1")
	l.Duplicates = append(l.Duplicates, []int{first, second})
	// Two addresses of people who look like one.
	first, second = row("6", "arno.beck@brook.example", "Arno Beck", ""), row("7", "arno@home.example", "Arno Beck", "")
	l.HeldTwice = append(l.HeldTwice, Twice{[]string{"arno.beck@brook.example", "arno@home.example"}, false, []int{first, second}})
	// Nobody can be found by these.
	l.Unusable = append(l.Unusable, row("8", "", "No Address", ""), row("9", "not an address", "Broken", ""), row("10", "no-reply@shop.example", "A shop", ""), row("11", hello, "Ourselves", ""))
	for _, who := range b.Truth.People {
		if !listed[who.Address] {
			l.Missing = append(l.Missing, who.Address)
		}
	}
	b.Truth.Contacts = l
	b.Truth.sort()
	return []byte(strings.Join(lines, "\r\n") + "\r\n")
}
