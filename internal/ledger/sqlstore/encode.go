package sqlstore

import (
	"encoding/json"
	"strings"
	"time"
)

// micros is how a time is stored; the zero time has a number of its own.
func micros(t time.Time) int64 { return t.UnixMicro() }

// moment is the inverse of micros, and gives time.Time{} for the zero time.
func moment(us int64) time.Time { return time.UnixMicro(us).UTC() }

// text makes s storable: PostgreSQL takes neither invalid UTF-8 nor NUL bytes,
// and a backend's error message may hold either.
func text(s string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\x00", "\uFFFD")
}

// encode returns v as JSON; nil maps and slices give "".
func encode(v any) (string, error) {
	raw, err := json.Marshal(v)
	if err != nil {
		return "", refusal{err}
	}
	if string(raw) == "null" {
		return "", nil
	}
	return string(raw), nil
}

// decode is the inverse of encode: "" leaves v alone.
func decode(stored string, v any) error {
	if stored == "" {
		return nil
	}
	return json.Unmarshal([]byte(stored), v)
}

// raw returns a stored JSON text, nil for "".
func raw(stored string) json.RawMessage {
	if stored == "" {
		return nil
	}
	return json.RawMessage(stored)
}
