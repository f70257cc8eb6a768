#!/usr/bin/env bash
# Runs the benchmarks of every package that has some. Ratios that a benchmark
# reports (testing.B.ReportMetric) stand in its line.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/../.."
mapfile -t packages < <(grep -rl --include='*_test.go' '^func Benchmark' internal | xargs -r -n 1 dirname | sort -u)
if ((${#packages[@]} == 0)); then
  echo 'no package has a benchmark'
  exit
fi
# One package at a time: two would measure each other.
exec go test -run '^$' -bench . -benchmem -p 1 -timeout 30m "${packages[@]/#/./}"
