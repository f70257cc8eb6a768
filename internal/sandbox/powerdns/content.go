package powerdns

import (
	"encoding/json"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"time"
)

// noTime asks for objects whether or not reads see them yet.
var noTime time.Time

// types are the record types this server knows.
var types = []string{
	"A", "AAAA", "ALIAS", "CAA", "CNAME", "HTTPS", "MX", "NAPTR", "NS", "PTR", "SOA", "SRV", "SSHFP", "SVCB", "TLSA", "TXT",
}

// ownerName returns a name as it is stored: lower-case, wildcards unescaped.
func ownerName(name string) (string, error) {
	if !strings.HasSuffix(name, ".") {
		return "", unprocessable("DNS Name '" + name + "' is not canonical")
	}
	for _, label := range strings.Split(strings.TrimSuffix(name, "."), ".") {
		if label == "" || len(label) > 63 {
			return "", unprocessable("Unable to parse DNS Name '" + name + "'")
		}
	}
	if len(name) > 254 {
		return "", unprocessable("Unable to parse DNS Name '" + name + "'")
	}
	plain := strings.ReplaceAll(name, `\052`, "*")
	if strings.ContainsFunc(plain, unsupported) {
		return "", unprocessable("Name '" + escape(name) + "' contains unsupported characters")
	}
	return strings.ToLower(plain), nil
}

func unsupported(r rune) bool {
	return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_*./@\\:", r))
}

// escape writes what is not printable ASCII as \DDD.
func escape(name string) string {
	var b strings.Builder
	for _, c := range []byte(name) {
		if c <= ' ' || c >= 0x7f {
			fmt.Fprintf(&b, `\%03d`, c)
			continue
		}
		b.WriteByte(c)
	}
	return b.String()
}

// records reads, checks, canonicalises and sorts the records of an rrset.
func records(set rrset, raw []json.RawMessage, what string) ([]record, error) {
	list := make([]record, 0, len(raw))
	for _, one := range raw {
		var r struct {
			Content  *string `json:"content"`
			Disabled bool    `json:"disabled"`
		}
		_ = json.Unmarshal(one, &r) // what has the wrong type counts as absent
		if r.Content == nil {
			return nil, missing("content")
		}
		content, err := canonical(set, *r.Content)
		if err != nil {
			return nil, err
		}
		list = append(list, record{Content: content, Disabled: r.Disabled})
	}
	if len(list) > 1 && (set.Type == "CNAME" || set.Type == "SOA") {
		return nil, unprocessable(what + " has more than one record")
	}
	slices.SortFunc(list, func(a, b record) int { return strings.Compare(a.Content, b.Content) })
	for i := 1; i < len(list); i++ {
		if list[i].Content == list[i-1].Content {
			return nil, unprocessable(fmt.Sprintf("Duplicate record in %s with content %q", what, list[i].Content))
		}
	}
	return list, nil
}

// canonical returns content as it is stored, or why it is refused.
func canonical(set rrset, content string) (string, error) {
	refuse := func(format string, args ...any) error {
		return unprocessable(fmt.Sprintf("Record %s/%s '%s': ", set.Name, set.Type, content) + fmt.Sprintf(format, args...))
	}
	if content == "" {
		return "", refuse("Parsing record content (try 'pdnsutil check-zone'): missing field at the end of record content ''")
	}
	switch set.Type {
	case "A":
		return canonicalIPv4(content, refuse)
	case "AAAA":
		addr, err := netip.ParseAddr(content)
		if err != nil || !addr.Is6() || addr.Is4In6() || addr.Zone() != "" {
			return "", refuse("Invalid IPv6 address")
		}
		return addr.String(), nil
	case "CNAME", "NS", "PTR", "ALIAS":
		return canonicalTarget(set.Type, content, refuse)
	case "TXT":
		if !strings.HasPrefix(content, `"`) || !strings.HasSuffix(content, `"`) || len(content) < 2 {
			return "", refuse(`Not in expected format (parsed as '"%s"')`, content)
		}
	case "MX", "SRV":
		if !strings.HasSuffix(content, ".") {
			return "", refuse("Not in expected format (parsed as '%s.')", content)
		}
	}
	return content, nil
}

func canonicalIPv4(content string, refuse func(string, ...any) error) (string, error) {
	addr, err := netip.ParseAddr(content)
	if err != nil || !addr.Is4() {
		return "", refuse("Parsing record content (try 'pdnsutil check-zone'): unable to parse IP address")
	}
	return addr.String(), nil
}

func canonicalTarget(kind, content string, refuse func(string, ...any) error) (string, error) {
	if content == "." {
		return content, nil
	}
	if _, rest, trailing := strings.Cut(content, " "); trailing {
		return "", refuse("When parsing %s trailing data was not parsed: ' %s'", kind, rest)
	}
	if strings.Contains(content, "..") || strings.HasPrefix(content, ".") {
		return "", refuse("Found . in wrong position in DNSName %s", content)
	}
	if wanted := escape(absolute(content)); wanted != content {
		return "", refuse("Not in expected format (parsed as '%s')", wanted)
	}
	return content, nil
}
