package rawmail

// base64Decoder keeps what can be decoded; characters outside the alphabet do
// not count (RFC 2045 section 6.8). Padding ends a run, and another may follow:
// some gateways join two contents.
type base64Decoder struct {
	bits  uint32
	count int // characters in bits
}

// decode appends to out what in completes. out may not be in's memory.
func (d *base64Decoder) decode(out, in []byte) []byte {
	bits, count := d.bits, d.count
	for _, c := range in {
		v := base64Value[c]
		if v >= 64 {
			if c == '=' {
				d.bits, d.count = bits, count
				out = d.flush(out)
				bits, count = 0, 0
			}
			continue
		}
		bits = bits<<6 | uint32(v)
		if count++; count == 4 {
			out = append(out, byte(bits>>16), byte(bits>>8), byte(bits))
			bits, count = 0, 0
		}
	}
	d.bits, d.count = bits, count
	return out
}

// flush appends what an unfinished group of characters holds.
func (d *base64Decoder) flush(out []byte) []byte {
	switch d.count {
	case 2:
		out = append(out, byte(d.bits>>4))
	case 3:
		out = append(out, byte(d.bits>>10), byte(d.bits>>2))
	}
	d.bits, d.count = 0, 0
	return out
}

// base64Value is the value of each character, 64 of one outside the alphabet.
var base64Value = func() (values [256]byte) {
	const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
	for i := range values {
		values[i] = 64
	}
	for i := range len(alphabet) {
		values[alphabet[i]] = byte(i)
	}
	return values
}()

// decodeBase64 gives at least limit bytes, where there are so many, and not
// many more.
func decodeBase64(in []byte, limit int) []byte {
	var d base64Decoder
	out := make([]byte, 0, min(len(in)/4*3+3, limit+3))
	for len(in) > 0 && len(out) < limit {
		n := min(len(in), max(64, (limit-len(out))/3*4+4))
		out = d.decode(out, in[:n])
		in = in[n:]
	}
	return d.flush(out)
}
