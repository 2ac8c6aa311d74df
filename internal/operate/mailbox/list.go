package mailbox

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// List is a contact list as a CSV file has it.
type List struct {
	rows []Row
}

// Row is one line of a contact list.
type Row struct {
	Line       int      `json:"line"` // where it begins in the file, from 1
	Emails     []string `json:"emails"`
	Name       string   `json:"name"`
	Company    string   `json:"company"`
	Phone      string   `json:"phone"`
	CustomerID string   `json:"customer_id"`
	ID         string   `json:"id"`

	also map[string]string
}

// Also is what the row has in a column that ReadContacts was asked for besides.
func (r Row) Also(column string) string { return r.also[column] }

// Rows are its rows, in their order.
func (l *List) Rows() []Row { return l.rows }

// ErrContacts is wrapped by what ReadContacts says of a file that is no contact
// list. The text names a line and nothing that stands in it.
var ErrContacts = errors.New("not a contact list")

// ReadContacts reads a CSV file (RFC 4180) whose first line names its columns:
// email, name, company, phone, customer_id and id, in any order and case; at
// least email or customer_id. For those that are missing first name and last
// name, company name and phone number are taken, as exports of CRMs call them.
// Others are passed over. The delimiter is a comma,
// a semicolon or a tab, whichever the first line has most of. A byte order mark
// is fine; an email cell may hold several addresses, apart by a space, a
// semicolon or a comma. also names further columns that the caller wants, without
// regard to case; each of them must be there.
func ReadContacts(file []byte, also ...string) (*List, error) {
	file = bytes.TrimPrefix(file, []byte("\xef\xbb\xbf"))
	if line := lineNotUTF8(file); line > 0 {
		return nil, fmt.Errorf("%w: line %d is not in UTF-8", ErrContacts, line)
	}
	r := csv.NewReader(bytes.NewReader(file))
	r.Comma = delimiter(file)
	// With tabs between cells the library would take an empty one for space
	// before the next, and shift the row.
	r.TrimLeadingSpace = r.Comma != '\t'
	head, err := r.Read()
	if errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%w: it is empty", ErrContacts)
	}
	if err != nil {
		return nil, faultOf(err)
	}
	line, _ := r.FieldPos(0)
	columns, err := columnsOf(head, line)
	if err != nil {
		return nil, err
	}
	further, err := further(head, line, also)
	if err != nil {
		return nil, err
	}
	list := &List{}
	for {
		cells, err := r.Read()
		if errors.Is(err, io.EOF) {
			return list, nil
		}
		if err != nil {
			return nil, faultOf(err)
		}
		line, _ := r.FieldPos(0)
		row := rowOf(columns, cells, line)
		for name, at := range further {
			row.also[name] = strings.TrimSpace(cells[at])
		}
		list.rows = append(list.rows, row)
	}
}

// delimiter is the one that the first line has most of.
func delimiter(file []byte) rune {
	first, _, _ := bytes.Cut(bytes.TrimLeft(file, "\r\n"), []byte("\n"))
	best, most := ',', bytes.Count(first, []byte(","))
	for _, c := range []rune{';', '\t'} {
		if n := bytes.Count(first, []byte(string(c))); n > most {
			best, most = c, n
		}
	}
	return best
}

// columnsOf finds which column holds what.
func columnsOf(head []string, line int) (map[string]int, error) {
	at := map[string]int{}
	for i, name := range head {
		name = strings.Map(func(r rune) rune {
			if unicode.IsLetter(r) {
				return unicode.ToLower(r)
			}
			return -1
		}, name)
		switch name {
		case "email", "name", "company", "phone", "customerid", "id", "firstname", "lastname", "companyname", "phonenumber":
		case "emailaddress", "mail":
			name = "email"
		default:
			continue
		}
		if _, twice := at[name]; twice {
			return nil, fmt.Errorf("%w: line %d names the column %s twice", ErrContacts, line, name)
		}
		at[name] = i
	}
	_, email := at["email"]
	_, customer := at["customerid"]
	if !email && !customer {
		return nil, fmt.Errorf("%w: line %d has no column called email or customer_id", ErrContacts, line)
	}
	return at, nil
}

func rowOf(columns map[string]int, cells []string, line int) Row {
	cell := func(name string) string {
		if i, ok := columns[name]; ok {
			return strings.Join(strings.Fields(cells[i]), " ")
		}
		return ""
	}
	either := func(name, other string) string {
		if _, has := columns[name]; has {
			return cell(name)
		}
		return other
	}
	return Row{
		Line: line, Name: either("name", strings.TrimSpace(cell("firstname")+" "+cell("lastname"))),
		Company: either("company", cell("companyname")), Phone: either("phone", cell("phonenumber")),
		CustomerID: cell("customerid"), ID: cell("id"), also: map[string]string{},
		Emails: append([]string{}, strings.FieldsFunc(cell("email"), func(r rune) bool { return r == ' ' || r == ';' || r == ',' })...),
	}
}

// further finds the columns that the caller named.
func further(head []string, line int, names []string) (map[string]int, error) {
	at := map[string]int{}
	for _, name := range names {
		is := func(cell string) bool { return strings.EqualFold(strings.TrimSpace(cell), strings.TrimSpace(name)) }
		at[name] = slices.IndexFunc(head, is)
		if at[name] < 0 {
			return nil, fmt.Errorf("%w: line %d has no column called as the one that is asked for", ErrContacts, line)
		}
		if slices.ContainsFunc(head[at[name]+1:], is) {
			return nil, fmt.Errorf("%w: line %d names the column that is asked for twice", ErrContacts, line)
		}
	}
	return at, nil
}

// faultOf says where the CSV is wrong. The library's texts quote nothing.
func faultOf(err error) error {
	var p *csv.ParseError
	if errors.As(err, &p) {
		return fmt.Errorf("%w: line %d: %w", ErrContacts, p.Line, p.Err)
	}
	return fmt.Errorf("%w: %w", ErrContacts, err)
}

// lineNotUTF8 is the first line that is none, or 0.
func lineNotUTF8(file []byte) int {
	if utf8.Valid(file) {
		return 0
	}
	number := 0
	for line := range bytes.Lines(file) {
		if number++; !utf8.Valid(line) {
			return number
		}
	}
	return number
}
