package register

import (
	"encoding/json"
	"errors"
)

// Record is one contact record, as an export has it.
type Record struct {
	ID         Word   `json:"id"`
	Emails     []Word `json:"emails"`
	Phones     []Word `json:"phones"`
	CustomerID Word   `json:"customer_id"`
	Name       Word   `json:"name"`
	Company    Word   `json:"company"`
}

// Word is a text; a number counts as its digits, since exports write
// identifiers either way.
type Word string

// UnmarshalJSON takes a text or a number.
func (w *Word) UnmarshalJSON(b []byte) error {
	if b[0] != '"' {
		var n json.Number
		if err := json.Unmarshal(b, &n); err != nil {
			return errors.New("neither a text nor a number")
		}
		*w = Word(n)
		return nil
	}
	return json.Unmarshal(b, (*string)(w))
}

// Read reads a line. The error quotes nothing of it.
func Read(line []byte) (Record, error) {
	var rec Record
	if err := json.Unmarshal(line, &rec); err != nil {
		return rec, errors.New("not a record: a JSON object with id, emails, phones, customer_id, name, company")
	}
	if rec.ID == "" {
		return rec, errors.New("the record has no id")
	}
	return rec, nil
}
