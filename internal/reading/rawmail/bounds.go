package rawmail

// Bounds on what one mail may cost. What goes beyond is cut or left out, with
// a warning; the raw mail stays stored, so nothing is lost for good.
const (
	MaxRaw  = 30 << 20  // bytes; beyond it only the header is read. SES receives up to 40 MB, with base64 inside
	MaxText = 256 << 10 // bytes of Text

	maxHeader      = 256 << 10   // bytes of the top header that are kept
	maxHeaderRead  = 2 << 20     // bytes of it in which fields are looked for
	maxFields      = 1000        // header fields that are kept
	maxFolds       = 20_000      // continuation lines of the top header that are kept
	maxParts       = 500         // MIME delimiters that are followed
	maxMultiparts  = 32          // multipart nodes; later ones are leaves, so depth is bounded too
	maxParams      = 16 << 10    // bytes of one Content-Type or Content-Disposition
	maxParamCount  = 100         // parameters of one
	maxGuess       = 1 << 20     // bytes of a body in which a lost boundary is looked for
	maxShown       = 2 * MaxText // bytes of text of all parts that are kept to choose from
	maxAttachments = 200         // listed by name
	maxAddressList = 64 << 10    // bytes of one address header that are taken apart
	maxMailboxes   = 200         // of one address header
	maxForwarders  = 10          // mailboxes that passed a mail on
	maxMark        = 200         // bytes of Mark
	maxReturned    = 5           // ReturnedMarks of one report
	maxReferences  = 100         // of References, the last ones
	maxEncoded     = 16 << 10    // bytes of one header value in which encoded words are looked for
	maxValue       = 2000        // bytes of one decoded header value or file name
	maxReport      = 64 << 10    // bytes kept of a report part or returned original
	maxDiagnosis   = 8 << 10     // bytes of what is said of one failed recipient
	maxRecipients  = 100         // of one bounce or complaint
)

// Warning words. None holds content of the mail.
const (
	warnTooLarge        = "too_large"
	warnHeaderTruncated = "header_truncated"
	warnTooManyParts    = "too_many_parts"
	warnTooDeep         = "too_deep"
	warnTextTruncated   = "text_truncated"
	warnMboxLine        = "mbox_from_line"
	warnStrayLine       = "stray_header_line"
	warnNoSeparator     = "header_separator_missing"
	warn8BitHeader      = "raw_8bit_header"
	warnUnknownCharset  = "unknown_charset"
	warnCharsetMismatch = "charset_mismatch"
	warnBadEncoding     = "bad_transfer_encoding"
	warnFromMissing     = "from_missing"
	warnFromUnreadable  = "from_unreadable"
	warnFromRepeated    = "from_repeated"
	warnMessageIDNone   = "message_id_missing"
	warnDateMissing     = "date_missing"
	warnDateUnreadable  = "date_unreadable"
	warnMIME            = "mime_unreadable"
	warnNoRecipient     = "failed_recipient_unknown"
	warnMarkUnchecked   = "own_mark_unchecked" // taken for ours by its presence
	warnParserFault     = "parser_fault"
)

// warnings is a set that keeps the order of first mention.
type warnings []string

func (w *warnings) add(word string) {
	for _, have := range *w {
		if have == word {
			return
		}
	}
	*w = append(*w, word)
}

// cut shortens s to at most limit bytes without splitting a rune.
func cut(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	for limit > 0 && s[limit]&0xc0 == 0x80 {
		limit--
	}
	return s[:limit]
}
