#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Two versions of cuSPARSE side by side, from two tables of `sparserl bench --csv` over the same matrices on one
GPU: cusparse_versions.py OLD.csv NEW.csv"""
import collections
import statistics
import sys

import bench_table


def warm(row):
    return bench_table.number(row["warm_us"])


def fastest(rows):
    return min((r for r in rows if r["csr_baseline"] == "1" and warm(r) > 0), key=warm, default=None)


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    old, new = ({m.name: m for m in bench_table.read(path)} for path in sys.argv[1:])
    both = [(old[name], new[name]) for name in old if name in new and old[name].baseline() and new[name].baseline()]
    print("| matrices | n | best CSR routine, old over new | old | new | SpMVOp over the best other routine |\n|---|---:|---:|---:|---:|---:|")
    for low, high, text in [(0, None, "all"), *bench_table.BINS]:
        pairs = [(a, b) for a, b in both if a.nnz >= low and (high is None or a.nnz < high)]
        if not pairs:
            continue
        ratios = [warm(a.baseline()) / warm(b.baseline()) for a, b in pairs]
        operation = []
        for _, b in pairs:
            ours = fastest([r for r in b.baselines if r["variant"].startswith("SpMVOp")])
            others = fastest([r for r in b.baselines if not r["variant"].startswith("SpMVOp")])
            if ours and others:
                operation.append(warm(others) / warm(ours))
        print(f"| {text} | {len(pairs)} | {bench_table.geomean(ratios):.3f} ({min(ratios):.2f} to {max(ratios):.2f}) "
              f"| {bench_table.geomean([a.speedup() for a, _ in pairs]):.2f}x | {bench_table.geomean([b.speedup() for _, b in pairs]):.2f}x "
              f"| {bench_table.geomean(operation):.3f} ({min(operation, default=0):.2f} to {max(operation, default=0):.2f}) |")
    for text, side in (("old", 0), ("new", 1)):
        wins = collections.Counter(pair[side].baseline()["variant"] for pair in both)
        print(f"\nBest CSR routine, {text}: " + ", ".join(f"{name} {count}" for name, count in wins.most_common()) + ".")
    setups = collections.defaultdict(list)
    for _, b in both:
        for row in b.baselines:
            setups[row["variant"]].append(bench_table.number(row["setup_us"]))
    print("\nSet-up, median us: " + ", ".join(f"{name} {statistics.median(values):.0f}" for name, values in setups.items() if max(values) > 0) + ".")


if __name__ == "__main__":
    main()
