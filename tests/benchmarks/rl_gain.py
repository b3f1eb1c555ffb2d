#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Does reinforcement learning add to supervised fine-tuning? Real matrices, several seeds, each policy at its best setting.

    tests/benchmarks/rl_gain.py build/release/bin/sparserl --out FOLDER --policy NAME:PRESET[:KEY=VALUE,...] ...
        [--matrices FOLDER] [--seeds 1,2,3] [--jobs 4] [--set KEY=VALUE] [--type f64] [--judge cuda]

FOLDER of matrices is that of reads_matrix.py: SFT learns from 90 of them, each policy goes on from it, and all are evaluated
on 20 that nobody saw. Every policy writes greedily and at temperatures 0.5, 0.7 and 1; which of these is its best is found on
training matrices (4 samples each), then compared on the unseen ones (16 samples each). Runs that are done are kept, and so is a
project that exists in --out. Each --set goes to every training run; --type is the element type of all runs. With --judge cuda every policy's best setting is evaluated once more, on a GPU.
Prints Markdown: mean rewards, what the best setting does, and paired differences to SFT with 95 % bootstrap intervals over
matrices, all seeds of a matrix drawn together.
"""
import argparse
import concurrent.futures
import json
import math
import os
import pathlib
import random
import subprocess
import sys

import reads_matrix

os.environ.setdefault("SPARSERL_TRUST", "all")  # copies of projects are nobody's

SETTINGS = {"greedy": ["evaluate.greedy=true", "evaluate.samples=1"], "T=0.5": ["evaluate.temperature=0.5"],
            "T=0.7": ["evaluate.temperature=0.7"], "T=1": ["evaluate.temperature=1"]}
# Until longer training adds nothing: RL is to add to an SFT that has come to its end (rl_gain.md).
SFT = ["sft.families=", "sft.max_bytes=1000", "sft.steps=1600", "sft.batch=32", "sft.lr=2e-3", "eval.samples=0", "eval.every=0"]
MEASURES = ("reward", "correct", "faster", "speed-up", "best of n")


class Evaluation:
    """What one evaluation says: of each matrix, and in all."""

    def __init__(self, run: pathlib.Path):
        self.matrices, self.totals = {}, {}
        speedups = {}
        with open(run / "journal.jsonl", encoding="utf-8") as journal:
            for line in journal:
                entry = json.loads(line)
                if entry["kind"] == "verdict":
                    record = entry["record"]
                    if record["verdict"] == "correct" and record.get("speedup", 0) > 0:
                        speedups.setdefault(record["matrix_name"], []).append(math.log(record["speedup"]))
                elif entry["kind"] == "evaluation":
                    self.matrices[entry["matrix_name"]] = {
                        "reward": entry["mean_reward"], "correct": entry["correct"] / entry["samples"],
                        "faster": entry["faster"] / entry["samples"]}
                elif entry["kind"] == "metric":
                    self.totals.update(entry["values"])
        for name, logs in speedups.items():
            self.matrices[name]["speed-up"] = sum(logs) / len(logs)  # logarithms until shown
            self.matrices[name]["best of n"] = max(logs)

    def mean(self, measure: str) -> float:
        values = [m[measure] for m in self.matrices.values() if measure in m]
        return sum(values) / len(values) if values else math.nan


def shown(measure: str, value: float, difference: bool = False) -> str:
    if measure in ("speed-up", "best of n"):
        return f"x {math.exp(value):.3f}" if difference else f"{math.exp(value):.3f}"
    if measure == "reward":
        return f"{value:+.3f}" if difference else f"{value:.3f}"
    return f"{100 * value:+.1f} %" if difference else f"{100 * value:.1f} %"


def interval(groups: list, draws: int = 10000) -> tuple:
    """95 % percentile bootstrap of the mean, groups drawn with replacement."""
    generator = random.Random(1)
    means = []
    for _ in range(draws):
        members = [value for _ in groups for value in generator.choice(groups)]
        means.append(sum(members) / len(members))
    means.sort()
    return means[int(0.025 * draws)], means[int(0.975 * draws) - 1]


class Trial:
    def __init__(self, options):
        self.sparserl, self.project, self.options = options.sparserl, options.out, options
        self.seeds = options.seeds.split(",")
        self.policies = {"SFT": None}
        for text in options.policy:
            name, preset, *values = text.split(":", 2)
            self.policies[name] = (preset, [v for v in values[0].split(",") if v] if values else [])

    def call(self, *words):
        subprocess.run([self.sparserl, "--quiet", *map(str, words)], check=True, stdout=subprocess.DEVNULL)

    def prepare(self):
        if (self.project / "project.toml").exists():
            return
        self.call("project", "new", self.project)
        for split, ours, count in (("train", "train", 90), ("dev", "held-out", 20)):
            self.call("import", "--project", self.project, "--split", ours,
                      *reads_matrix.chosen(self.options.matrices / "index.csv", split, count))

    def run(self, path, preset, *assignments, parent=None):
        words = ["train", "--run", path]
        if not path.exists():
            words = ["train", preset, "--run", path] + (["--parent", parent] if parent else [])
            words += [w for assignment in (f"element_type={self.options.type}", *assignments) for w in ("--set", assignment)]
        self.call(*words)

    def path(self, seed, *parts):
        return self.project / "runs" / "-".join([f"s{seed}", *parts]).replace("=", "")

    def evaluation(self, seed, policy, setting, split, device="sim"):
        return self.path(seed, policy, "on", split, setting, device)

    def evaluate(self, seed, policy, setting, split, device="sim"):
        assignments = ["evaluate.samples=" + ("4" if split == "train" else "16"), f"evaluate.split={split}", f"seed={seed}", "threads=1"]
        if device == "cuda":
            assignments.append("judge.in_turn=true")
        self.run(self.evaluation(seed, policy, setting, split, device), "quickstart-evaluate", *assignments, *SETTINGS[setting],
                 f"judge.device={device}", parent=self.path(seed, policy))

    def train(self, seed):
        common = [f"seed={seed}", "threads=1", "judge.device=sim", *self.options.set]
        self.run(self.path(seed, "SFT"), "quickstart-sft", *SFT, *common)

        def go_on(item):
            name, (preset, values) = item
            self.run(self.path(seed, name), preset, "eval.every=0", "eval.samples=0", "checkpoint.every=100000", *common, *values,
                     parent=self.path(seed, "SFT"))

        with concurrent.futures.ThreadPoolExecutor(self.options.jobs) as pool:
            list(pool.map(go_on, [(n, p) for n, p in self.policies.items() if p]))

    def best(self, policy):
        """The setting with the largest mean reward on training matrices, over all seeds."""
        return max(SETTINGS, key=lambda setting: sum(
            Evaluation(self.evaluation(seed, policy, setting, "train")).mean("reward") for seed in self.seeds))

    def go(self):
        self.prepare()
        with concurrent.futures.ThreadPoolExecutor(len(self.seeds)) as pool:
            list(pool.map(self.train, self.seeds))
        work = [(seed, policy, setting, split) for seed in self.seeds for policy in self.policies for setting in SETTINGS
                for split in ("train", "held-out")]
        with concurrent.futures.ThreadPoolExecutor(self.options.jobs * len(self.seeds)) as pool:
            list(pool.map(lambda words: self.evaluate(*words), work))

    def settings_table(self):
        print("Mean reward on unseen matrices (training matrices), mean of the seeds:\n")
        print("| policy | " + " | ".join(SETTINGS) + " | best on training matrices |")
        print("|---" * (len(SETTINGS) + 2) + "|")
        for policy in self.policies:
            cells = []
            for setting in SETTINGS:
                mean = [sum(Evaluation(self.evaluation(seed, policy, setting, split)).mean("reward") for seed in self.seeds) /
                        len(self.seeds) for split in ("held-out", "train")]
                cells.append(f"{mean[0]:.3f} ({mean[1]:.3f})")
            print(f"| {policy} | " + " | ".join(cells) + f" | {self.best(policy)} |")

    def policies_table(self, device):
        print("\n| policy | setting | seed | " + " | ".join(MEASURES) + " | new |")
        print("|---" * (len(MEASURES) + 4) + "|")
        for policy in self.policies:
            setting = self.best(policy)
            for seed in self.seeds:
                result = Evaluation(self.evaluation(seed, policy, setting, "held-out", device))
                print(f"| {policy} | {setting} | {seed} | " + " | ".join(shown(m, result.mean(m)) for m in MEASURES) +
                      f" | {100 * result.totals.get('kernel/novel_rate', 0):.1f} % |")

    def reading_table(self):
        print("\nAt temperature 0.5, unseen matrices:\n")
        print("| policy | seed | information of the program | own rank (chance 0.5) | information of the family | exchange |\n" + "|---" * 6 + "|")
        for policy in self.policies:
            for seed in self.seeds:
                v = Evaluation(self.evaluation(seed, policy, "T=0.5", "held-out")).totals
                names = ("information", "own_rank", "family_information", "exchange_gain")
                print(f"| {policy} | {seed} | " + " | ".join(reads_matrix.with_interval(v, "matrix/" + n) for n in names) + " |")

    def gains_table(self, device):
        print("\n| against SFT | " + " | ".join(MEASURES) + " |")
        print("|---" * (len(MEASURES) + 1) + "|")
        for compared in ("best", "greedy"):
            def results(policy):
                setting = self.best(policy) if compared == "best" else "greedy"
                return {seed: Evaluation(self.evaluation(seed, policy, setting, "held-out", device)).matrices for seed in self.seeds}

            if compared == "greedy" and device != "sim":
                continue
            before = results("SFT")
            for policy in list(self.policies)[1:]:
                after, cells = results(policy), []
                for measure in MEASURES:
                    groups = {}
                    for seed in self.seeds:
                        for name, row in after[seed].items():
                            if measure in row and measure in before[seed].get(name, {}):
                                groups.setdefault(name, []).append(row[measure] - before[seed][name][measure])
                    flat = [value for group in groups.values() for value in group]
                    if not flat:
                        cells.append("-")
                        continue
                    low, high = interval(list(groups.values()))
                    cells.append(f"{shown(measure, sum(flat) / len(flat), True)} [{shown(measure, low, True)}, {shown(measure, high, True)}]")
                each = "each at its best setting" if compared == "best" else "both greedy"
                print(f"| {policy}, {each} | " + " | ".join(cells) + " |")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sparserl")
    parser.add_argument("--matrices", type=pathlib.Path)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--policy", action="append", default=[])
    parser.add_argument("--seeds", default="1,2,3")
    parser.add_argument("--jobs", type=int, default=4)
    parser.add_argument("--set", action="append", default=[])
    parser.add_argument("--type", choices=["f32", "f64"], default="f32")
    parser.add_argument("--judge", choices=["sim", "cuda"], default="sim")
    trial = Trial(parser.parse_args())
    trial.go()
    trial.settings_table()
    trial.policies_table("sim")
    trial.gains_table("sim")
    trial.reading_table()
    if trial.options.judge == "cuda":
        for seed in trial.seeds:
            for policy in trial.policies:
                trial.evaluate(seed, policy, trial.best(policy), "held-out", "cuda")
        print("\nThe same on the GPU:")
        trial.policies_table("cuda")
        trial.gains_table("cuda")
    return 0


if __name__ == "__main__":
    sys.exit(main())
