package engine_test

import (
	"strconv"
	"testing"
	"time"

	"github.com/tenantplane/terraform-provider-tenant/internal/engine"
	"github.com/tenantplane/terraform-provider-tenant/internal/tenant"
)

// chain is a tenant of n objects, each needing the one before: the worst case
// for ordering.
func chain(n int) engine.Desired {
	d := engine.Desired{Subject: subject, DependsOn: map[string][]string{}}
	for i := range n {
		o := engine.Object{ID: oid("c", strconv.Itoa(i)), Path: "c", Fields: tenant.Fields{"content": {"v1"}}}
		if i > 0 {
			o.Needs = []engine.ObjectID{oid("c", strconv.Itoa(i-1))}
		}
		d.Objects = append(d.Objects, o)
	}
	return d
}

// BenchmarkConverge reports how much longer a plan of ten times the objects
// takes than the plan of one tenant as it is today: 10 would be linear.
func BenchmarkConverge(b *testing.B) {
	small, large := chain(6), chain(60)
	var smallTime, largeTime time.Duration
	for b.Loop() {
		begin := time.Now()
		engine.Converge(small, nil, engine.Sightings{}, now)
		middle := time.Now()
		engine.Converge(large, nil, engine.Sightings{}, now)
		smallTime += middle.Sub(begin)
		largeTime += time.Since(middle)
	}
	b.ReportMetric(float64(largeTime)/float64(smallTime), "60-objects/6-objects")
}
