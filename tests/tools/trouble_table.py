#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs that go wrong: trouble_table.py --bin FOLDER [--out FOLDER]

Trains the quickstart's policy for a few steps and from it a run for each kind of trouble: rates a hundred and a billion times too
high, weights that are not numbers, a policy that ends with one family, a full disk (a tmpfs; needs root). Each has to end as it is
declared, with one sentence, its last good checkpoint whole (every weight a number, its DONE mark there) and able to begin
another run. A GPU that vanishes is in tst_training_interruptions, since none can be taken away here. Prints a table; the status is 1 where
a row does not hold.
"""
import argparse
import json
import math
import os
import pathlib
import shutil
import struct
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
SMALL = ["judge.device=sim", "seed=1", "eval.every=0"]


def weights(file):
    """Name to (offset, bytes) of float32 tensors in a safetensors file, and the file's bytes."""
    data = bytearray(file.read_bytes())
    size = struct.unpack("<Q", data[:8])[0]
    head = json.loads(data[8:8 + size])
    return data, {name: (8 + size + t["data_offsets"][0], t["data_offsets"][1] - t["data_offsets"][0])
                  for name, t in head.items() if name != "__metadata__" and t["dtype"] == "F32"}


def finite(checkpoint):
    """Whether a checkpoint is whole and every weight of its policy is a number."""
    if not (checkpoint / "DONE").exists():
        return False
    for file in checkpoint.rglob("model.safetensors"):
        data, tensors = weights(file)
        for at, size in tensors.values():
            if not all(map(math.isfinite, struct.unpack(f"<{size // 4}f", data[at:at + size]))):
                return False
    return True


class Table:
    def __init__(self, bin_folder, out):
        self.sparserl, self.out = str(bin_folder / "sparserl"), out
        self.project = out / "project"
        shutil.copytree(ROOT / "projects/quickstart", self.project,
                        ignore=shutil.ignore_patterns("runs", "cache", "exports", "project.sqlite*", "*.lock"))
        self.rows = []

    def train(self, preset, run, *settings, parent=None, timeout=600):
        words = [self.sparserl, "train", preset, "--project", str(self.project), "--run", str(run)]
        words += ["--parent", str(parent)] if parent else []
        for setting in [*SMALL, *settings]:
            words += ["--set", setting]
        done = subprocess.run(words, capture_output=True, text=True, timeout=timeout, env={**os.environ, "OMP_NUM_THREADS": "1", "SPARSERL_TRUST": "all"})
        return done.returncode, done.stdout + done.stderr

    def state(self, run):
        """How the journal says that the run ended, with its reason, and the alarms it told."""
        ended, alarms, steps = {}, [], 0
        for line in (run / "journal.jsonl").read_text().splitlines():
            try:
                event = json.loads(line)
            except ValueError:
                continue  # a line that a full disk cut off
            if event.get("kind") == "state":
                ended = event
            elif event.get("kind") == "log" and event.get("level") == "warning":
                alarms.append(event.get("text", ""))
            elif event.get("kind") == "metric" and event.get("split") == "train":
                steps = max(steps, event.get("step", 0))
        return ended, alarms, steps

    def row(self, what, expected, run, code, text, parent=None):
        ended, alarms, steps = self.state(run) if (run / "journal.jsonl").exists() else ({}, [], 0)
        kept = sorted((p for p in (run / "checkpoints").glob("*") if (p / "DONE").exists()), key=lambda p: p.name) \
            if (run / "checkpoints").exists() else []
        whole = all(map(finite, kept))
        said = (ended.get("reason") or "").strip() or (alarms[-1] if alarms else "") or \
            (text.strip().splitlines()[-1] if ended.get("state") != "done" else "")
        end = ended.get("state", "never began")
        follows = True
        if kept and whole and parent:  # It can begin another run.
            after, _ = self.train("quickstart-sft", run.parent / (run.name + "-after"), "sft.steps=2", "sft.batch=8", parent=kept[-1])
            follows = after == 0
        good = end in expected and bool(said) and whole and follows
        self.rows.append((what, end, steps, said, len(kept), good))
        print("| {} | {} (exit {}) | {} | {} | {} {} | {} |".format(what, end, code, steps, said.replace("|", "/"), len(kept),
              "whole" if whole and follows else "DAMAGED", "as declared" if good else "NOT AS DECLARED"), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("--out", type=pathlib.Path)
    options = parser.parse_args()
    out = options.out or pathlib.Path(tempfile.mkdtemp(prefix="trouble-"))
    out.mkdir(parents=True, exist_ok=True)
    table = Table(options.bin.resolve(), out.resolve())
    runs = table.project / "runs"
    sft = ["sft.steps=160", "sft.batch=16", "checkpoint.every=5"]
    code, text = table.train("quickstart-sft", runs / "sft", *sft)
    if code != 0:
        sys.exit(f"The policy to begin with was not trained:\n{text}")
    short = ["rl.matrices=4", "rl.samples=4", "rl.minibatch=16", "rl.iterations=12", "checkpoint.every=1", "rl.value_pretrain=0"]
    print("| trouble | end | steps | what it says | checkpoints | |\n|---|---|---:|---|---|---|")
    ended = ("failed",)
    for factor, rate in (("x 100", "0.2"), ("1e6", "1e6")):
        for action, expected in (("warn", "done"), ("stop", "failed")) if factor == "x 100" else (("warn", "failed"),):
            run = runs / f"sft-{rate}-{action}"
            code, text = table.train("quickstart-sft", run, *sft, f"sft.lr={rate}", f"alarm.unlearned_action={action}")
            table.row(f"sft, rate {factor}, told to {action}", (expected,), run, code, text, parent=True)
        run = runs / f"ppo-{rate}"
        code, text = table.train("quickstart-ppo", run, *short, f"rl.lr={rate}", parent="sft")
        table.row(f"ppo, rate {factor}", ended, run, code, text, parent=True)

    # Weights that are not numbers, in what a run begins from: the checkpoint's digests say so.
    broken = out / "not-numbers"
    shutil.copytree(sorted((runs / "sft/checkpoints").glob("*"), key=lambda p: p.name)[-1], broken)
    for file in broken.rglob("model.safetensors"):
        data, tensors = weights(file)
        at, size = max(tensors.values(), key=lambda t: t[1])
        data[at:at + 4] = struct.pack("<f", math.nan)
        file.write_bytes(data)
    for name in ("sft", "ppo"):
        run = runs / f"nan-{name}"
        code, text = table.train(f"quickstart-{name}", run, *(sft if name == "sft" else short), parent=broken)
        table.row(f"{name}, weights that are not numbers", ("failed", "never began"), run, code, text)

    # One family whatever the matrix: greedy sampling leaves one program a matrix, a large rate one for all.
    run = runs / "one-family"
    code, text = table.train("grpo", run, *short, "rl.lr=3e-3", "rl.iterations=30", "alarm.families=0.5", "alarm.families_action=stop",
                             "alarm.kl_action=warn", "alarm.compile_rate_action=warn", "alarm.loss_action=warn", parent="sft")
    table.row("grpo, one family left, told to stop", ended, run, code, text, parent=True)

    if os.geteuid() == 0:
        small = runs / "full-disk"
        small.mkdir()
        if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=24m", "tmpfs", str(small)], capture_output=True).returncode == 0:
            try:
                run = small / "sft"
                code, text = table.train("quickstart-sft", run, *sft, "checkpoint.keep=50")
                table.row("sft on a disk of 24 MB", ("failed", "running"), run, code, text)
                said = text.strip().splitlines()[-1]
                print("  (the terminal: " + said + ")")
            finally:
                subprocess.run(["umount", "-l", str(small)], check=False)
    sys.exit(0 if all(row[-1] for row in table.rows) else 1)


if __name__ == "__main__":
    main()
