#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How much faster do several processes train one run? The same SFT, the same global batch, 1 and 2 processes.

    tests/benchmarks/scale.py build/release/bin/sparserl --out FOLDER [--device cpu|cuda] [--processes 1,2]
        [--d-model 384] [--layers 4] [--batch 1024] [--steps 60] [--precision fp32] [--threads 0]

Makes a project of eight generated matrices in FOLDER, trains once for every number of processes, and prints a Markdown table:
tokens per second (median over the steps behind the first ten, as the journal has them) and the loss of the last step, which must be the same.
On GPUs the policy is on the GPU of each process's number and the judge simulates. Needs sparserl, sparserl-training, sparserl-runner and
libsparserl_torch_cuda.so side by side, and LibTorch, NVRTC and nvJitLink where sparserl finds them.
"""
import argparse
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys

os.environ.setdefault("SPARSERL_TRUST", "all")  # copies of projects are nobody's

PROJECT = """[project]
format = 1
title = 'Scale'
"""
MATRICES = ["stencil2d(n=24)", "stencil2d(n=32)", "banded(n=900,band=3)", "banded(n=1200,band=5)",
            "random(rows=800,cols=700,mean=9)", "random(rows=1000,cols=1000,mean=5)", "random(rows=600,cols=900,mean=20)",
            "stencil2d(n=40)"]


def series(run: pathlib.Path) -> tuple:
    """tokens/s of the steps behind the first ten, and the last loss."""
    rates, loss = [], float("nan")
    with open(run / "journal.jsonl", encoding="utf-8") as journal:
        for line in journal:
            entry = json.loads(line)
            if entry["kind"] == "metric" and entry["split"] == "train":
                loss = entry["values"]["loss"]
                if entry["step"] > 10:
                    rates.append(entry["values"]["perf/throughput"])
    return statistics.median(rates), loss


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sparserl")
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--device", default="cpu", choices=["cpu", "cuda"])
    parser.add_argument("--precision", default="fp32", choices=["fp32", "bf16"])
    parser.add_argument("--processes", default="1,2")
    parser.add_argument("--d-model", type=int, default=384)
    parser.add_argument("--layers", type=int, default=4)
    parser.add_argument("--batch", type=int, default=1024)
    parser.add_argument("--micro-batch", type=int, default=512)
    parser.add_argument("--steps", type=int, default=60)
    parser.add_argument("--threads", type=int, default=0, help="of each process; 0: the cores divided by the processes")
    options = parser.parse_args()

    options.out.mkdir(parents=True, exist_ok=True)
    text = PROJECT + "".join(f"[[matrix]]\nname = 'm{i}'\ngenerator = '{generator}'\nsplit = '{'held-out' if i == 7 else 'train'}'\n"
                             for i, generator in enumerate(MATRICES))
    (options.out / "project.toml").write_text(text, encoding="utf-8")
    settings = ["judge.device=sim", f"threads={options.threads}", f"device={options.device}", f"precision={options.precision}",
                f"policy.d_model={options.d_model}", f"policy.d_ff={8 * options.d_model // 3 // 8 * 8}",
                f"policy.encoder_layers={options.layers}", f"policy.decoder_layers={options.layers}",
                f"sft.batch={options.batch}", f"sft.micro_batch={options.micro_batch}", f"sft.steps={options.steps}",
                "sft.lr=0.0003", "sft.programs_per_matrix=8", "sft.heldout_programs=4", "eval.every=0", "eval.samples=0",
                "checkpoint.every=1000000"]
    rows = []
    for count in [int(n) for n in options.processes.split(",")]:
        run = options.out / "runs" / f"{options.device}-{count}"
        shutil.rmtree(run, ignore_errors=True)
        command = [options.sparserl, "--quiet", "train", "quickstart-sft", "--project", str(options.out), "--run", str(run),
                   "--nproc", str(count)]
        for setting in settings:
            command += ["--set", setting]
        if subprocess.run(command, stdout=sys.stderr, check=False).returncode != 0:
            return 1
        rows.append((count, *series(run)))
    print(f"{options.device}, {options.precision}, d_model {options.d_model}, {options.layers} + {options.layers} layers, "
          f"{options.batch} texts a step")
    print("\n| processes | tokens/s | against one | last loss |\n|---|---|---|---|")
    for count, rate, loss in rows:
        print(f"| {count} | {rate:,.0f} | {rate / rows[0][1]:.2f} | {loss:.6f} |")
    return 0


if __name__ == "__main__":
    sys.exit(main())
