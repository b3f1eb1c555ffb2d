#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Does PPO improve on the SFT policy it starts from? Held-out matrices, several seeds, paired bootstrap.

    tests/benchmarks/quickstart_gain.py build/release/bin/sparserl [--seeds 1,2,3] [--project projects/quickstart]

Runs the project's benchmark.toml once a seed (runs that are done are kept), takes the mean reward of each held-out matrix
under both policies, and prints the mean difference with its 95 % bootstrap interval over (matrix, seed) pairs, and over
matrices as clusters (all seeds of a matrix drawn together), as a Markdown table.
"""
import argparse
import json
import os
import pathlib
import random
import subprocess
import sys

os.environ.setdefault("SPARSERL_TRUST", "all")  # copies of projects are nobody's


def evaluation(run: pathlib.Path) -> dict:
    """Last evaluation event per held-out matrix: name -> event."""
    rows = {}
    with open(run / "journal.jsonl", encoding="utf-8") as journal:
        for line in journal:
            entry = json.loads(line)
            if entry.get("kind") == "evaluation" and entry.get("split") == "held-out":
                rows[entry["matrix_name"]] = entry
    return rows


def interval(groups: list, draws: int, seed: int) -> tuple:
    """95 % percentile bootstrap of the mean over the members of groups, groups drawn with replacement."""
    generator = random.Random(seed)
    means = []
    for _ in range(draws):
        members = [value for _ in groups for value in generator.choice(groups)]
        means.append(sum(members) / len(members))
    means.sort()
    return means[int(0.025 * draws)], means[int(0.975 * draws) - 1]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sparserl")
    parser.add_argument("--project", type=pathlib.Path, default=pathlib.Path("projects/quickstart"))
    parser.add_argument("--seeds", default="1,2,3")
    options = parser.parse_args()

    pairs = {}  # matrix -> [(sft, ppo) of each seed]
    print("| seed | SFT reward | PPO reward | SFT correct | PPO correct | SFT faster | PPO faster |\n|---|---|---|---|---|---|---|")
    for seed in options.seeds.split(","):
        prefix = f"seed{seed}-"
        command = [options.sparserl, "job", str(options.project), "--file", "benchmark.toml", "--prefix", prefix,
                   "--set", f"seed={seed}"]
        subprocess.run(command, check=True, stdout=sys.stderr)
        sft = evaluation(options.project / "runs" / f"{prefix}evaluation-sft")
        ppo = evaluation(options.project / "runs" / f"{prefix}evaluation-ppo")
        if sft.keys() != ppo.keys() or not sft:
            print(f"quickstart_gain: the evaluations of seed {seed} cover different matrices", file=sys.stderr)
            return 1
        for name in sft:
            pairs.setdefault(name, []).append((sft[name]["mean_reward"], ppo[name]["mean_reward"]))

        def mean(rows, value):
            return sum(value(row) for row in rows.values()) / len(rows)

        print(f"| {seed} | {mean(sft, lambda r: r['mean_reward']):.3f} | {mean(ppo, lambda r: r['mean_reward']):.3f} "
              f"| {mean(sft, lambda r: r['correct'] / r['samples']):.1%} | {mean(ppo, lambda r: r['correct'] / r['samples']):.1%} "
              f"| {mean(sft, lambda r: r['faster'] / r['samples']):.1%} | {mean(ppo, lambda r: r['faster'] / r['samples']):.1%} |",
              flush=True)

    gains = {name: [after - before for before, after in values] for name, values in pairs.items()}
    flat = [[gain] for values in gains.values() for gain in values]
    total = sum(gain[0] for gain in flat) / len(flat)
    low, high = interval(flat, 10000, 1)
    clow, chigh = interval(list(gains.values()), 10000, 2)
    print(f"\nGain of PPO over SFT: {total:+.3f} (95 % bootstrap over {len(flat)} matrix-seed pairs: [{low:+.3f}, {high:+.3f}]; "
          f"over {len(gains)} matrices as clusters: [{clow:+.3f}, {chigh:+.3f}])\n")
    print("| matrix | SFT | PPO | gain |\n|---|---|---|---|")
    for name, values in pairs.items():
        before = sum(v[0] for v in values) / len(values)
        after = sum(v[1] for v in values) / len(values)
        print(f"| {name} | {before:.3f} | {after:.3f} | {after - before:+.3f} |")
    return 0


if __name__ == "__main__":
    sys.exit(main())
