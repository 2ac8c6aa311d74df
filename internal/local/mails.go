package local

import (
	"encoding/json"
	"fmt"

	"onefold/internal/mailer"
	"onefold/internal/mailer/sestest"
)

// mailLog keeps what the fake of SES has accepted. Probes of the feed are not
// kept: one goes out each minute, and after a restart the next proves as much.
type mailLog struct{ *journal }

// openMailLog reads mail.jsonl: the latest line of each mail, at its first
// place. Lines that a later one replaced are removed from the file, whole or
// not at all, so that it does not grow with time.
func openMailLog(path string) (mailLog, []sestest.SentMail, error) {
	var mails []sestest.SentMail
	at := map[string]int{}
	lines := 0
	good, err := readJournal(path, func(line []byte) error {
		lines++
		var m sestest.SentMail
		if err := json.Unmarshal(line, &m); err != nil {
			return err
		}
		if isProbe(m) {
			return nil
		}
		i, known := at[m.MessageID]
		if !known {
			i, mails = len(mails), append(mails, m)
			at[m.MessageID] = i
		}
		mails[i] = m
		return nil
	})
	if err == nil && lines > len(mails) {
		good, err = rewriteMails(path, mails)
	}
	if err != nil {
		return mailLog{}, nil, err
	}
	j, err := openJournal(path, good)
	return mailLog{j}, mails, err
}

func rewriteMails(path string, mails []sestest.SentMail) (int64, error) {
	var text []byte
	for _, m := range mails {
		line, err := json.Marshal(m)
		if err != nil {
			return 0, err
		}
		text = append(append(text, line...), '\n')
	}
	if err := writeWhole(path, text); err != nil {
		return 0, fmt.Errorf("compact %s: %w", path, err)
	}
	return int64(len(text)), nil
}

// persist implements sestest.Options.Persist.
func (l mailLog) persist(m sestest.SentMail) error {
	if isProbe(m) {
		return nil
	}
	line, err := json.Marshal(m)
	if err != nil {
		return err
	}
	return l.append(line)
}

func isProbe(m sestest.SentMail) bool { return m.Tag(mailer.TagProbe) != "" }
