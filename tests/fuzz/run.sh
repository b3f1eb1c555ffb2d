#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# run.sh [OPTIONS] SECONDS [TARGET...]: runs fuzz targets side by side and prints a table; exit 1 if one found a fault.
#   --build DIR     where the targets were built (build/fuzz)
#   --jobs N        how many at once (the number of cores)
#   --throwaway     new inputs are not kept; otherwise they go to DIR/fuzz/NAME, where the next run finds them
# Inputs that break a target lie in DIR/fuzz/crashes/NAME.
set -u
here=$(cd "$(dirname "$0")" && pwd)
build=$here/../../build/fuzz
jobs=$(nproc)
throwaway=
while [[ ${1:-} == --* ]]; do
    case $1 in
    --build) build=$2; shift 2 ;;
    --jobs) jobs=$2; shift 2 ;;
    --throwaway) throwaway=1; shift ;;
    *) echo "run.sh: $1 is not known" >&2; exit 2 ;;
    esac
done
seconds=${1:?run.sh [--build DIR] [--jobs N] [--throwaway] SECONDS [TARGET...]}
shift
targets=("$@")
if [[ ${#targets[@]} -eq 0 ]]; then
    for program in "$build"/bin/fuzz_*; do
        targets+=("${program##*/fuzz_}")
    done
fi
export ASAN_OPTIONS=${ASAN_OPTIONS:-detect_leaks=1:allocator_may_return_null=0}
export UBSAN_OPTIONS=${UBSAN_OPTIONS:-print_stacktrace=1}

run_one()
{
    local name=$1 work=$build/fuzz/$1 crashes=$build/fuzz/crashes/$1 log=$build/fuzz/$1.log
    [[ -n $throwaway ]] && work=$(mktemp -d)
    mkdir -p "$work" "$crashes"
    local words=()
    [[ -f $here/$name.dict ]] && words=(-dict="$here/$name.dict")
    "$build/bin/fuzz_$name" -max_total_time="$seconds" -rss_limit_mb=1024 -malloc_limit_mb=512 -timeout=10 -max_len=65536 \
        -print_final_stats=1 "${words[@]}" -artifact_prefix="$crashes/" "$work" "$here/corpus/$name" >"$log" 2>&1
    echo $? >"$log.rc"
    [[ -n $throwaway ]] && rm -r "$work"
}

stat_of() { sed -n "s/^stat::$2: *//p" "$1" | tail -1; }

mkdir -p "$build/fuzz"
for name in "${targets[@]}"; do
    while (($(jobs -rp | wc -l) >= jobs)); do
        wait -n
    done
    run_one "$name" &
done
wait

bad=0
printf '%-12s %12s %8s %8s %8s %8s %6s  %s\n' target executions exec/s cov features new rss outcome
for name in "${targets[@]}"; do
    log=$build/fuzz/$name.log
    last=$(grep -E '^#[0-9]+.*cov: ' "$log" | tail -1)
    outcome=clean
    if [[ $(cat "$log.rc") != 0 ]]; then
        bad=1
        outcome=$(grep -hoE 'Test unit written to .*|property broken: .*|no such file|cannot open.*' "$log" | head -2 | tr '\n' ' ')
        outcome="FAULT ${outcome:-see $log}"
    fi
    printf '%-12s %12s %8s %8s %8s %8s %6s  %s\n' "$name" "$(stat_of "$log" number_of_executed_units)" \
        "$(stat_of "$log" average_exec_per_sec)" "$(sed -nE 's/.*cov: ([0-9]+).*/\1/p' <<<"$last")" \
        "$(sed -nE 's/.* ft: ([0-9]+).*/\1/p' <<<"$last")" "$(stat_of "$log" new_units_added)" \
        "$(stat_of "$log" peak_rss_mb)M" "$outcome"
done
exit $bad
