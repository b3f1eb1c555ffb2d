#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Matrices whose values reach the ends of float32, judged and timed beside an ordinary one.

Each seed is a judge's secret. A right program must be correct on every matrix, `bench` must end well,
and infinities and NaN must be refused at import with a sentence. Ends with 1 where one is not.

  tests/tools/extreme_matrices.py --bin build/dev/bin [--seeds 6] [--device cuda] [--train]
"""
import argparse
import json
import pathlib
import random
import subprocess
import sys
import tempfile

PROGRAM = """//! task spmv
//! launch k<<<ceil_div(rows, 64), 64>>>(rows, csr.row_ptr, csr.col, csr.val, x, y)
extern "C" __global__ void k(int rows, const int* p, const int* c, const float* v, const float* x, float* y) {
    int r = blockIdx.x * 64 + threadIdx.x;
    if (r >= rows) return;
    float s = 0;
    for (int j = p[r]; j < p[r + 1]; ++j) s += v[j] * x[c[j]];
    y[r] = s;
}
"""


def write(path, value):
    rng = random.Random(7)
    rows, lines = 90, []
    for row in range(1, rows + 1):
        for column in sorted(rng.sample(range(1, rows + 1), 4)):
            lines.append(f"{row} {column} {value(rng)}")
    path.write_text(f"%%MatrixMarket matrix coordinate real general\n{rows} {rows} {len(lines)}\n" + "\n".join(lines) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bin", required=True)
    parser.add_argument("--seeds", type=int, default=6)
    parser.add_argument("--train", action="store_true", help="also a little SFT and RL, and an evaluation, for each seed")
    parser.add_argument("--device", choices=["sim", "cuda"], default="sim")
    arguments = parser.parse_args()
    device = arguments.device
    sparserl = str(pathlib.Path(arguments.bin) / "sparserl")
    kinds = {
        "ordinary": lambda r: r.uniform(-1, 1),
        "3.4e38": lambda r: r.choice(["3.4e38", "-3.4e38"]),
        "1e38": lambda r: r.choice(["1e38", "-1e38"]),
        "1e-38": lambda r: r.choice(["1e-38", "-1e-38"]),
        "subnormal": lambda r: r.choice(["1e-45", "-3e-41", "7e-40"]),
        "1e38 by 1e-38": lambda r: r.choice(["1e38", "1e-38", "-1e38"]),
        "zeros": lambda r: r.choice(["0", "-0.0"]),
        "mixed": lambda r: r.choice(["3.4e38", "1e-45", "-1", "1e-38", "2.5"]),
    }
    wrong = 0

    def complain(what):
        nonlocal wrong
        wrong += 1
        print("WRONG:", what)

    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        (folder / "k.cu").write_text(PROGRAM)
        for name, value in kinds.items():
            write(folder / f"{name}.mtx", value)
        files = [str(folder / f"{name}.mtx") for name in kinds]

        def run(*words):
            return subprocess.run([sparserl, *words], capture_output=True, text=True, timeout=600)

        for seed in range(1, arguments.seeds + 1):
            done = run("--json", "judge", str(folder / "k.cu"), "--matrix", *files, "--device", device, "--judge-seed", str(seed))
            verdicts = [json.loads(line) for line in done.stdout.splitlines() if '"verdict"' in line]
            if done.returncode != 0 or len(verdicts) != len(files):
                complain(f"judge, seed {seed}: {done.returncode}, {len(verdicts)} verdicts: {done.stderr.strip()[-200:]}")
            for verdict in verdicts:
                if verdict["verdict"] != "correct":
                    complain(f"judge, seed {seed}, {verdict['matrix_file']}: {verdict['verdict']}: {verdict['message']}")
            done = run("bench", *files, "--device", device, "--seed", str(seed))
            if done.returncode != 0:
                complain(f"bench, seed {seed}: {done.returncode}: {done.stderr.strip()[-300:]}")
            print(f"seed {seed}: {sum(v['verdict'] == 'correct' for v in verdicts)} of {len(files)} correct, bench {done.returncode}")
        for seed in range(1, arguments.seeds + 1) if arguments.train else ():
            project = str(folder / f"project{seed}")
            common = ["--project", project, "--set", "device=cpu", "--set", f"judge.device={device}", "--set", f"judge.seed={seed}", "--set", f"seed={seed}"]
            steps = [
                ["project", "new", project],
                ["import", "--project", project, *files],
                ["train", "quickstart-sft", *common, "--set", "sft.steps=2", "--set", "sft.programs_per_matrix=2"],
                ["train", "quickstart-ppo", *common, "--parent", "0001-sft", "--set", "rl.iterations=2", "--set", "rl.samples=2", "--set", "eval.every=0"],
                ["evaluate", "--policy", f"{project}/runs/0002-rl", "--matrices", *files, "-n", "1", "--device", device],
            ]
            for words in steps:
                done = run(*words)
                if done.returncode != 0:
                    complain(f"{' '.join(words[:2])}, seed {seed}: {done.returncode}: {done.stderr.strip()[-300:]}")
                    break
            print(f"seed {seed}: training and evaluation ended")
        for text in ("inf", "-inf", "nan", "1e39"):
            write(folder / "not_finite.mtx", lambda r: text)
            done = run("import", str(folder / "not_finite.mtx"), "--cache", str(folder / "cache"))
            print(f"import of {text}: {done.returncode}: {done.stderr.strip()[-160:]}")
            if done.returncode != 1 or "not_finite.mtx" not in done.stderr:
                complain(f"import of {text}: {done.returncode}, or no sentence that names the file")
    print(f"{wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
