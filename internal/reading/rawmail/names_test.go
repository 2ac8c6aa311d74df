package rawmail_test

import "testing"

// TestFileNamesOfEachForm: RFC 2183, RFC 2231 sections 3 and 4 with their own
// examples' forms, and what mail programs write instead.
func TestFileNamesOfEachForm(t *testing.T) {
	t.Parallel()
	for header, want := range map[string]string{
		`Content-Disposition: attachment; filename="list of chairs.pdf"`:                                                                                    "list of chairs.pdf",
		`Content-Disposition: attachment; filename=list of chairs.pdf`:                                                                                      "list of chairs.pdf",
		`Content-Disposition: attachment; filename="a \"b\".pdf"`:                                                                                           `a "b".pdf`,
		`Content-Disposition: attachment; filename="C:\docs\a.pdf"`:                                                                                         `C:\docs\a.pdf`,
		`Content-Disposition: attachment; filename="not closed.pdf`:                                                                                         "not closed.pdf",
		`Content-Disposition: attachment; filename*=us-ascii'en-us'This%20is%20%2A%2A%2Afun%2A%2A%2A`:                                                       "This is ***fun***",
		`Content-Disposition: attachment; filename*0*=us-ascii'en'This%20is%20even%20more%20; filename*1*=%2A%2A%2Afun%2A%2A%2A%20; filename*2="isn't it!"`: "This is even more ***fun*** isn't it!",
		`Content-Disposition: attachment; filename*0=long; filename*1=name.pdf`:                                                                             "longname.pdf",
		`Content-Disposition: attachment; filename=plain.pdf; filename*=utf-8''st%C3%BChle.pdf`:                                                             "stühle.pdf",
		`Content-Disposition: attachment; filename*=iso-8859-1''st%FChle.pdf`:                                                                               "stühle.pdf",
		`Content-Disposition: attachment; filename="=?utf-8?Q?st=C3=BChle.pdf?="`:                                                                           "stühle.pdf",
		"Content-Disposition: attachment; filename=\"st\xfchle.pdf\"":                                                                                       "stühle.pdf",
		`Content-Type: application/pdf name="no semicolon.pdf"`:                                                                                             "no semicolon.pdf",
		`Content-Type: application/pdf; name=only.pdf`:                                                                                                      "only.pdf",
		`Content-Disposition: attachment`:                                                                                                                   "",
	} {
		m := parse(head + "Content-Type: multipart/mixed; boundary=b\n\n--b\n" + header + "\n\nx\n--b--\n")
		if len(m.Attachments) != 1 || m.Attachments[0].Name != want {
			t.Errorf("%s: %+v, want %q", header, m.Attachments, want)
		}
	}
}
