package drift

import (
	"encoding/xml"
	"fmt"
	"strings"
)

// The JUnit form that CI systems read (github.com/testmoapp/junitxml): a tenant
// is a test case; drift is a failure, what could not be read an error.
type (
	junitSuites struct {
		XMLName xml.Name     `xml:"testsuites"`
		Suites  []junitSuite `xml:"testsuite"`
	}
	junitSuite struct {
		Name      string      `xml:"name,attr"`
		Tests     int         `xml:"tests,attr"`
		Failures  int         `xml:"failures,attr"`
		Errors    int         `xml:"errors,attr"`
		Timestamp string      `xml:"timestamp,attr"`
		Cases     []junitCase `xml:"testcase"`
	}
	junitCase struct {
		Name    string        `xml:"name,attr"`
		Class   string        `xml:"classname,attr"`
		Failure *junitMessage `xml:"failure,omitempty"`
		Error   *junitMessage `xml:"error,omitempty"`
	}
	junitMessage struct {
		Message string `xml:"message,attr"`
		Text    string `xml:",chardata"`
	}
)

// JUnit renders a verdict. An incomplete one has an error of its own, even if
// no tenant does.
func (v Verdict) JUnit() ([]byte, error) {
	suite := junitSuite{Name: "tenant drift", Timestamp: v.StartedAt.Format("2006-01-02T15:04:05")}
	for _, t := range v.Tenants {
		suite.add(caseOf(t))
	}
	if !v.Complete && suite.Errors == 0 {
		suite.add(junitCase{Name: "(run)", Class: "tenant.drift", Error: &junitMessage{Message: "the run did not look at everything"}})
	}
	content, err := xml.MarshalIndent(junitSuites{Suites: []junitSuite{suite}}, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("render JUnit: %w", err)
	}
	return append([]byte(xml.Header), append(content, '\n')...), nil
}

func (s *junitSuite) add(c junitCase) {
	s.Cases = append(s.Cases, c)
	s.Tests++
	if c.Failure != nil {
		s.Failures++
	}
	if c.Error != nil {
		s.Errors++
	}
}

func caseOf(t Tenant) junitCase {
	c := junitCase{Name: t.Tenant, Class: "tenant.drift"}
	var lines []string
	for _, d := range t.Drifts {
		lines = append(lines, string(d.Severity)+": "+d.String())
	}
	lines = append(lines, t.Unhealthy...)
	if len(lines) > 0 {
		c.Failure = &junitMessage{Message: fmt.Sprintf("%d differences", len(lines)), Text: strings.Join(lines, "\n")}
	}
	if len(t.Unread) > 0 {
		c.Error = &junitMessage{Message: "could not be looked at", Text: strings.Join(t.Unread, "\n")}
	}
	return c
}
