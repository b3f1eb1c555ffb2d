#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tables of tests/benchmarks/measurement_cost.md: what rl runs that measure everything, a share, or by clusters did.

measurement_cost.py PROJECT SEEDS ARM...    runs are PROJECT/runs/ARM-SEED; the first arm is what the others are held against
"""
import json
import math
import sys
from pathlib import Path


def journal(run):
    with open(run / "journal.jsonl", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def values(entries, split, name):
    found = {}
    for entry in entries:
        if entry["kind"] == "metric" and entry.get("split", "train") == split and name in entry["values"]:
            found[entry["step"]] = entry["values"][name]
    return [found[step] for step in sorted(found) if not isinstance(found[step], str)]


def mean(numbers):
    return sum(numbers) / len(numbers) if numbers else math.nan


def main():
    project, seeds, arms = Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3:]
    table = {}
    for arm in arms:
        for seed in range(1, seeds + 1):
            entries = journal(project / "runs" / f"{arm}-{seed}")
            verdicts = {}
            for entry in entries:
                record = entry.get("record", {})
                if entry["kind"] == "verdict" and record["verdict"] == "correct":
                    verdicts[record["program"], record["matrix"]] = record.get("warm") is not None
            row = {
                "first": values(entries, "held-out", "reward")[0],
                "last": values(entries, "held-out", "reward")[-1],
                "faster": values(entries, "held-out", "kernel/speedup_geomean")[-1:] or [math.nan],
                "train": mean(values(entries, "train", "reward")[-6:]),
                "judge": sum(values(entries, "train", "timing_s/judge")),
                "measured": mean([1.0 if one else 0.0 for one in verdicts.values()]),
                "share": values(entries, "train", "measure/share"),
                "error": values(entries, "train", "measure/error"),
                "similar": values(entries, "train", "measure/similar_error"),
            }
            table[arm, seed] = row
            print(f"{arm:10s} {seed}  held-out {row['first']:.3f} -> {row['last']:.3f}  speed-up {row['faster'][0]:.3f}  "
                  f"train, last six {row['train']:.3f}  judge {row['judge']:.1f} s  pairs measured {row['measured']:.2f}")
    for arm in arms:
        for name in ("share", "error", "similar"):
            runs = [table[arm, seed][name] for seed in range(1, seeds + 1)]
            if not any(runs):
                continue
            parts = []
            for begin, end in ((0, 6), (6, 12), (12, 18), (18, 24)):
                parts.append(mean([value for run in runs for value in run[begin:end]]))
            print(f"{arm:10s} {name:8s} quarters of the run: " + "  ".join(f"{part:.3f}" for part in parts))
    for arm in arms[1:]:
        for name in ("last", "train"):
            differences = [table[arm, s][name] - table[arms[0], s][name] for s in range(1, seeds + 1)]
            print(f"{arm} - {arms[0]}, {name}: " + " / ".join(f"{d:+.3f}" for d in differences) + f", mean {mean(differences):+.3f}")


if __name__ == "__main__":
    main()
