#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Builds under sanitizers, runs the tests and prints a table: tests/tools/sanitizers.sh [asan|tsan] [-R REGEX] [-j N]
# asan: address, leak and undefined-behaviour sanitizers over every test. tsan: the tests of what has threads.
# The status is 0 when every test passed and none, passed or not, printed a finding.
set -euo pipefail
cd "$(dirname "$0")/../.."

usage() { sed -n '3,5s/^# //p' "$0"; exit 2; }
preset=asan regex='' jobs=$(nproc)
case "${1:-}" in asan | tsan) preset=$1; shift ;; esac
while getopts 'R:j:h' option; do
    case $option in R) regex=$OPTARG ;; j) jobs=$OPTARG ;; *) usage ;; esac
done
[ $# -ge $OPTIND ] && usage
# What runs on one thread has nothing to show the thread sanitizer.
[ -z "$regex" ] && [ $preset = tsan ] && regex='^(base|matrix|evaluation|project|policy|training|widgets|cli)'

build=build/$preset
[ -f "$build/build.ninja" ] || cmake --preset $preset >/dev/null
targets=all
if [ -n "$regex" ]; then # Only what the chosen tests need: targets are named after tests.
    ninja -C "$build" build.ninja >/dev/null
    names=$(ctest --test-dir "$build" -N -R "$regex" | sed -n 's/^ *Test *#[0-9]*: //p')
    [ -n "$names" ] || { echo "no test is called $regex" >&2; exit 2; }
    targets=$(for name in $names; do # Scripts have none.
        grep -q "^build tests/tst_$name:" "$build/build.ninja" && echo "tst_$name"
    done || true)
fi
[ -z "$targets" ] || ninja -C "$build" -j "$jobs" $targets
started=$SECONDS
ctest --test-dir "$build" --no-tests=error -j "$jobs" ${regex:+-R "$regex"} >/dev/null && failed=0 || failed=$?

echo
awk '
    /^[0-9]+\/[0-9]+ Test: / { name = $3; findings = 0 }
    /ERROR: (Address|Leak)Sanitizer|WARNING: ThreadSanitizer|: runtime error: |FATAL: (Thread|Address)Sanitizer/ {
        if (!findings++) first = $0
    }
    /^Totals: /                                  { totals = $2 " passed, " $4 " failed, " $6 " skipped" }
    /^Test time = /                              { time = $4 }
    /^Test (Passed|Failed|Pass Reason)|^Test.*(Timeout|Exception|timed out)/ {
        good = /Passed/ && !findings
        printf "%-28s %7.1f s  %-7s %2d findings  %s\n", name, time, good ? "clean" : "FAILED", findings, totals
        if (findings) print "    " first
        tests++; bad += !good; totals = ""
    }
    END { printf "%d tests, %d clean, %d not\n", tests, tests - bad, bad; exit bad > 0 }
' "$build/Testing/Temporary/LastTest.log" && clean=0 || clean=1
echo "$preset at $(git rev-parse --short HEAD): $((SECONDS - started)) s; output of every test: $build/Testing/Temporary/LastTest.log"
[ "$failed" = 0 ] && [ "$clean" = 0 ]
