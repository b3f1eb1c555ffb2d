#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Double precision on a GPU: tests/tools/double_on_gpu.sh BIN [OUT]. BIN: the folder of sparserl and
# sparserl-runner; run it in the root of the tree. Prints a few lines per step; logs and tables go to OUT.
set -u
bin=${1:?folder of sparserl}; out=${2:-double_on_gpu}; mkdir -p "$out"; export SPARSERL_TRUST=all
s="$bin/sparserl"; failed=0
step() { # NAME COMMAND...
    local name=$1 begin=$SECONDS; shift
    timeout 280 "$@" > "$out/$name.txt" 2> "$out/$name.err"; local rc=$?
    echo "== $name: status $rc, $((SECONDS - begin)) s"; tail -n "${lines:-2}" "$out/$name.txt"; [ $rc -eq 0 ] || { failed=1; tail -n 3 "$out/$name.err"; }
}
nvidia-smi --query-gpu=name,driver_version --format=csv,noheader
# 1. 100 honest programs, drawn from every family, on four small matrices in turn, with the reference as baseline: none may fail.
lines=34 step honest "$s" corpus check --type f64 -n 100 --device cuda --judge-seed 5
step honest_style "$s" corpus check --type f64 -n 40 --device cuda --judge-seed 6 --seed 2 --variety 0.9 --matrix "random(rows=3001,cols=2999)" --matrix "stencil2d(n=120)"
lines=34 step honest_spmm "$s" corpus check --task spmm --type f64 -n 60 --device cuda --judge-seed 7
# 2. Attacks in f64, none may get through.
lines=40 step attacks "$s" device attack tests/adversarial --type f64 --device cuda --programs --judge-seed 5
# 3. The same PTX on both devices: 0 mismatches.
step diff "$s" device diff --pairs 300 --type f64
# 4. Families, libraries and matrices by size.
lines=60 step bench "$s" bench --type f64 --device cuda --csv "$out/bench.csv" --seed 7 --limit-per-matrix 16 --all-formats \
    --generate "random(rows=3001,cols=2999)" --generate "stencil2d(n=100)" --generate "stencil3d(n=40,points=27)" \
    --generate "rmat(scale=14)" --generate "banded(n=50000)" --generate "lp(rows=20000,long=4)" \
    --generate "pruned(rows=1024,cols=1024)" --generate "stencil2d(n=1000)"
# 5. The same matrices in f32, for the ratio.
lines=60 step bench32 "$s" bench --type f32 --device cuda --csv "$out/bench32.csv" --seed 7 --limit-per-matrix 16 \
    --generate "random(rows=3001,cols=2999)" --generate "stencil2d(n=100)" --generate "rmat(scale=14)" --generate "stencil2d(n=1000)"
# 6. A judged program with the baseline in turn, as JSON.
"$s" corpus sample --type f64 -n 20 --seed 9 --out "$out/programs" > /dev/null
lines=8 step judge "$s" judge "$out"/programs/*.cu --type f64 --device cuda --matrix "stencil2d(n=300)" --judge-seed 3 --fail
# 7. Families and libraries directly on the device, without a judge (f32 and f64).
lines=45 step check "$s" device info --check
grep -h FAILED "$out/check.txt"
exit $failed
