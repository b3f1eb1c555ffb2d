#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Is a run that was killed and resumed as close to an undisturbed one as two undisturbed runs are to each other?

    tests/benchmarks/resume_noise.py build/release/bin/sparserl --out FOLDER [--device cuda] [--repeats 3] [--iterations 40]
        [--steps 250] [--jobs 6] [--stages sft,ppo,grpo] [--project projects/quickstart]

On a CPU a resumed run is the same bit for bit (tests hold that); a GPU adds in an order of its own. So each stage runs
--repeats times undisturbed and as often killed (SIGKILL to every process of the run) at a random step, then resumed, all with
the same seed. Prints a Markdown table: how far the final weights are apart, as a share of how far the undisturbed runs moved
from their parent (RMS over pairs), and the reward or loss of the last quarter of the run. Journals are checked: every step once.
Needs no Qt; the judge is the simulated device.
"""
import argparse
import array
import concurrent.futures
import itertools
import json
import math
import os
import pathlib
import random
import shutil
import signal
import struct
import subprocess
import sys
import time

os.environ.setdefault("SPARSERL_TRUST", "all")  # copies of projects are nobody's

STAGES = {
    "sft": ("quickstart-sft", None, lambda o: [f"sft.steps={o.steps}", "checkpoint.every=20"], "loss"),
    "ppo": ("quickstart-ppo", "sft", lambda o: [f"rl.iterations={o.iterations}", "checkpoint.every=3"], "reward"),
    "grpo": ("grpo", "sft", lambda o: [f"rl.iterations={o.iterations}", "checkpoint.every=3"], "reward"),
}


def weights(checkpoint: pathlib.Path) -> array.array:
    """All fp32 tensors of a checkpoint's model.safetensors, in the order of their names."""
    with open(checkpoint / "model.safetensors", "rb") as file:
        header = json.loads(file.read(struct.unpack("<Q", file.read(8))[0]))
        data = file.read()
    found = array.array("f")
    for name in sorted(header):
        if name != "__metadata__" and header[name]["dtype"] == "F32":
            found.frombytes(data[slice(*header[name]["data_offsets"])])
    return found


def distance(a: array.array, b: array.array) -> float:
    return math.sqrt(sum((x - y) * (x - y) for x, y in zip(a, b, strict=True)))


def mean(values: list) -> float:
    return sum(values) / len(values)


def rms(values: list) -> float:
    return math.sqrt(mean([v * v for v in values]))


def newest(run: pathlib.Path) -> pathlib.Path:
    return max(p for p in (run / "checkpoints").iterdir() if p.name.startswith("step-"))


def series(run: pathlib.Path, name: str) -> list:
    """The metric of every step, in order; fails where a step is missing or stands there twice."""
    found = {}
    with open(run / "journal.jsonl", encoding="utf-8") as journal:
        for line in journal:
            entry = json.loads(line)
            if entry["kind"] == "metric" and entry.get("split") == "train" and name in entry["values"]:
                assert entry["step"] not in found, f"{run}: step {entry['step']} twice"
                found[entry["step"]] = entry["values"][name]
    assert sorted(found) == list(range(1, len(found) + 1)), f"{run}: a step is missing"
    return [found[step] for step in sorted(found)]


def last_step(run: pathlib.Path) -> int:
    try:
        lines = (run / "journal.jsonl").read_text(encoding="utf-8").splitlines()
    except OSError:
        return 0
    for line in reversed(lines):
        try:
            return json.loads(line)["step"]
        except ValueError:
            continue  # being written
    return 0


def train(command: list, log: pathlib.Path, run: pathlib.Path = None, kill_at: int = 0) -> int:
    """Runs to the end, or until the run's journal reaches a step; then kills all its processes and says at which step."""
    with open(log, "ab") as out:
        process = subprocess.Popen(command, stdout=out, stderr=out, start_new_session=True)
        while process.poll() is None:
            if kill_at and last_step(run) >= kill_at:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
                return last_step(run)
            time.sleep(0.02)
        if process.returncode:
            raise RuntimeError(f"{' '.join(command)} ended with {process.returncode}; see {log}")
    return 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sparserl")
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--project", type=pathlib.Path, default=pathlib.Path("projects/quickstart"))
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--stages", default="sft,ppo,grpo")
    for name, value in (("repeats", 3), ("iterations", 40), ("steps", 250), ("jobs", 6), ("threads", 1), ("seed", 1)):
        parser.add_argument("--" + name, type=int, default=value)
    options = parser.parse_args()
    draw = random.Random(options.seed)
    project = options.out / "project"
    shutil.copytree(options.project, project, ignore=shutil.ignore_patterns("runs", "exports"))
    runs = project / "runs"

    def command(run, preset, parent, settings):
        arguments = [options.sparserl, "--quiet", "train", preset, "--project", str(project), "--run", str(run)]
        if parent:
            arguments += ["--parent", str(runs / parent)]
        common = [f"device={options.device}", f"threads={options.threads}", "seed=1", "judge.device=sim", "eval.every=0",
                  "eval.samples=0", "checkpoint.keep=2"]
        for assignment in common + settings:
            arguments += ["--set", assignment]
        return arguments

    def one(job):
        stage, kind, number, at = job
        preset, parent, settings, _ = STAGES[stage]
        name = "sft" if (stage, kind, number) == ("sft", "undisturbed", 0) else f"{stage}-{kind}-{number}"
        run, log = runs / name, options.out / f"{name}.log"
        begun = time.monotonic()
        killed = train(command(run, preset, parent, settings(options)), log, run, at)
        if at:
            assert killed, f"{run} was at its end before it could be killed"
            train([options.sparserl, "--quiet", "train", "--run", str(run)], log)
        print(f"{name}: {time.monotonic() - begun:.0f} s" + (f", killed at step {killed}" if at else ""), file=sys.stderr, flush=True)
        return stage, kind, run, killed

    print("| stage | undisturbed against undisturbed | resumed against undisturbed | largest ratio of a resumed one | killed at | "
          "last quarter, undisturbed | resumed |")
    print("|---|---|---|---|---|---|---|")
    for stage in options.stages.split(","):
        length = options.steps if stage == "sft" else options.iterations
        jobs = [(stage, "undisturbed", n, 0) for n in range(options.repeats)]
        jobs += [(stage, "resumed", n, draw.randrange(length // 8, length * 7 // 8)) for n in range(options.repeats)]
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            done = list(pool.map(one, jobs))
        found = {kind: [run for _, k, run, _ in done if k == kind] for kind in ("undisturbed", "resumed")}
        ends = {run: weights(newest(run)) for _, _, run, _ in done}
        parent = STAGES[stage][1]
        first = ends[found["undisturbed"][0]]
        start = weights(newest(runs / parent)) if parent else array.array("f", bytes(4 * len(first)))  # a fresh policy: its length
        moved = rms([distance(ends[run], start) for run in found["undisturbed"]])

        def apart(pairs):
            return [distance(ends[a], ends[b]) / moved for a, b in pairs]

        noise = apart(itertools.combinations(found["undisturbed"], 2))
        resumed = {run: apart((run, other) for other in found["undisturbed"]) for run in found["resumed"]}
        flat = [value for values in resumed.values() for value in values]
        metric = STAGES[stage][3]
        lasts = {kind: " / ".join(f"{mean(series(run, metric)[-(length // 4):]):.4f}" for run in found[kind]) for kind in found}
        ratio = max(rms(values) for values in resumed.values()) / rms(noise) if rms(noise) else math.nan
        print(f"| {stage} | {rms(noise):.4f} | {rms(flat):.4f} | {ratio:.2f} | "
              f"{' / '.join(str(k) for _, kind, _, k in done if kind == 'resumed')} | {metric} {lasts['undisturbed']} | "
              f"{lasts['resumed']} |", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
