package crash_test

import (
	"encoding/binary"
	"io"
	"regexp"
	"strings"

	"github.com/jackc/pgx/v5/pgproto3"
)

// changing matches statements that change something durable, and not only the
// session.
var changing = regexp.MustCompile(`(?i)^\s*(create|drop|alter|comment on|grant|revoke|insert|update|delete|do|reassign)\s+(schema|role|database|table|default)?`)

func beginsWith(sql string, words ...string) bool {
	first := strings.ToLower(strings.TrimRight(strings.Fields(sql + " ;")[0], ";"))
	for _, word := range words {
		if first == word {
			return true
		}
	}
	return false
}

// statement returns the SQL of a Query or Parse message, "" for others.
func statement(message []byte) string {
	switch message[0] {
	case 'Q':
		var q pgproto3.Query
		if q.Decode(message[5:]) == nil {
			return q.String
		}
	case 'P':
		var p pgproto3.Parse
		if p.Decode(message[5:]) == nil {
			return p.Query
		}
	}
	return ""
}

// readStartup reads the first message, which has no type.
func readStartup(from io.Reader) ([]byte, error) { return readFrame(from, nil) }

// readMessage reads a message: a type, a length that counts itself, a body.
func readMessage(from io.Reader) ([]byte, error) {
	kind := make([]byte, 1)
	if _, err := io.ReadFull(from, kind); err != nil {
		return nil, err
	}
	return readFrame(from, kind)
}

func readFrame(from io.Reader, frame []byte) ([]byte, error) {
	length := make([]byte, 4)
	if _, err := io.ReadFull(from, length); err != nil {
		return nil, err
	}
	body := make([]byte, max(0, int(binary.BigEndian.Uint32(length))-4))
	if _, err := io.ReadFull(from, body); err != nil {
		return nil, err
	}
	return append(append(frame, length...), body...), nil
}
