#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Does a policy read its matrix? SFT in several settings on real matrices, evaluated on others.

    tests/benchmarks/reads_matrix.py build/release/bin/sparserl --matrices FOLDER --out FOLDER [--only NAME,...]
        [--seeds 1] [--train 90] [--held-out 20] [--steps 400] [--batch 16] [--samples 16] [--threads 1]
        [--setting NAME:KEY=VALUE,...]

FOLDER of matrices has an index.csv with the columns name, split (train, dev), file, nnz, cls. Of the matrices of 8,000 to
120,000 non-zeros every class is taken evenly. Each setting is a run of the preset quickstart-sft, on all families, and an
evaluation of it on the dev matrices at temperature 0.5; runs that are done are kept. Prints a Markdown table of what the
evaluations say about choice, with their 95 % bootstrap intervals over matrices.
"""
import argparse
import csv
import json
import os
import pathlib
import subprocess
import sys

os.environ.setdefault("SPARSERL_TRUST", "all")  # copies of projects are nobody's

SETTINGS = {
    # What the SFT stage did before: programs as drawn, mildly weighted.
    "draws": ["sft.draw=by-score", "sft.weighting=z-score", "sft.recommended=0.5", "sft.speed_weight=0.5"],
    # Each matrix's best measured programs.
    "measured": [],
    "measured+contrast": ["sft.contrast=1"],
}
COMMON = ["sft.families=", "sft.max_bytes=1000", "eval.samples=0", "eval.every=0", "judge.device=sim"]


def chosen(index: pathlib.Path, split: str, count: int) -> list:
    with open(index, encoding="utf-8") as file:
        rows = [r for r in csv.DictReader(file) if r["split"] == split and 8_000 <= int(r["nnz"]) <= 120_000]
    rows.sort(key=lambda r: (r["cls"], int(r["nnz"]), r["name"]))
    count = min(count, len(rows))
    return [str(index.parent / rows[int((i + 0.5) * len(rows) / count)]["file"]) for i in range(count)]


def totals(run: pathlib.Path) -> dict:
    values = {}
    with open(run / "journal.jsonl", encoding="utf-8") as journal:
        for line in journal:
            entry = json.loads(line)
            if entry["kind"] == "metric" and entry["split"] == "held-out":
                values.update(entry["values"])
    return values


def with_interval(values: dict, name: str) -> str:
    if name not in values:
        return "-"
    return f"{values[name]:.3f} [{values[name + '_ci/low']:.3f}, {values[name + '_ci/high']:.3f}]"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sparserl")
    parser.add_argument("--matrices", type=pathlib.Path, required=True)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--only", default="")
    parser.add_argument("--seeds", default="1")
    parser.add_argument("--setting", action="append", default=[])
    for name, value in (("train", 90), ("held-out", 20), ("steps", 400), ("batch", 16), ("samples", 16), ("threads", 1)):
        parser.add_argument("--" + name, type=int, default=value)
    options = parser.parse_args()
    settings = dict(SETTINGS)
    for text in options.setting:
        name, _, values = text.partition(":")
        settings[name] = [v for v in values.split(",") if v]
    if options.only:
        settings = {name: values for name, values in settings.items() if name in options.only.split(",")}

    def run(*arguments):
        subprocess.run([options.sparserl, "--quiet", *map(str, arguments)], check=True, stdout=sys.stderr)

    project = options.out
    if not (project / "project.toml").exists():
        run("project", "new", project)
        for split, ours, count in (("train", "train", options.train), ("dev", "held-out", options.held_out)):
            run("import", "--project", project, "--reference", "--split", ours,
                *chosen(options.matrices / "index.csv", split, count))

    def stage(preset, path, *assignments, parent=None):
        arguments = ["train", preset, "--run", path]
        if parent:
            arguments += ["--parent", parent]
        for assignment in assignments:
            arguments += ["--set", assignment]
        run(*(arguments if not path.exists() else ["train", "--run", path]))

    print("| SFT | seed | information of the program | own rank (chance 0.5) | information of the family | entropy of the family, "
          "given the matrix | best family (chance) | mean speed-up | best of n | correct | new | exchange |")
    print("|---|---|---|---|---|---|---|---|---|---|---|---|")
    for seed in options.seeds.split(","):
        for name, values in settings.items():
            folder = project / "runs" / f"{name}-{seed}"
            evaluation = folder.with_name(folder.name + "-evaluation")
            common = [*COMMON, f"sft.steps={options.steps}", f"sft.batch={options.batch}", f"threads={options.threads}",
                      f"seed={seed}"]
            stage("quickstart-sft", folder, *common, *values)
            stage("quickstart-evaluate", evaluation, "evaluate.temperature=0.5", f"evaluate.samples={options.samples}",
                  f"threads={options.threads}", f"seed={seed}", "judge.device=sim", parent=folder)
            v = totals(evaluation)
            print(f"| {name} | {seed} | {with_interval(v, 'matrix/information')} | {with_interval(v, 'matrix/own_rank')} "
                  f"| {with_interval(v, 'matrix/family_information')} "
                  f"| {v['matrix/family_entropy/marginal']:.2f}, {v['matrix/family_entropy/conditional']:.2f} "
                  f"| {v.get('matrix/best_family_share', 0):.2f} ({v.get('matrix/best_family_chance', 0):.2f}) "
                  f"| {v.get('kernel/speedup_geomean', 0):.3f} | {v.get('evaluation/best_speedup_geomean', 0):.3f} "
                  f"| {v['kernel/correct_rate']:.1%} | {v.get('kernel/novel_rate', 0):.1%} "
                  f"| {with_interval(v, 'matrix/exchange_gain')} |", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
