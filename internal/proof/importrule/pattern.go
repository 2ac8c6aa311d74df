package importrule

import "strings"

// match tells whether a slash-separated path fits a pattern. In a pattern, *
// stands for one whole segment and a last ** for any number of them, none
// included. Every other segment stands for itself.
func match(pattern, path string) bool {
	if path == "" {
		return pattern == "" || pattern == "**"
	}
	want, have := strings.Split(pattern, "/"), strings.Split(path, "/")
	for i, segment := range want {
		switch {
		case segment == "**" && i == len(want)-1:
			return true
		case i >= len(have):
			return false
		case segment != "*" && segment != have[i]:
			return false
		}
	}
	return len(want) == len(have)
}

func matchAny(patterns []string, path string) bool {
	for _, pattern := range patterns {
		if match(pattern, path) {
			return true
		}
	}
	return false
}

// sameUnit tells whether two paths begin with the same n segments, both having
// that many.
func sameUnit(a, b string, n int) bool {
	if n == 0 {
		return false
	}
	as, bs := strings.Split(a, "/"), strings.Split(b, "/")
	if len(as) < n || len(bs) < n {
		return false
	}
	for i := range n {
		if as[i] != bs[i] {
			return false
		}
	}
	return true
}
