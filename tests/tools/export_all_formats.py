#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Exports a bundle for every storage format and task that the corpus has programs for, and packs them.

    export_all_formats.py SPARSERL OUT [--project projects/quickstart] [--type f64] [--unverified]

Programs are drawn with `sparserl corpus sample`; each is exported for the first matrix of the project that its format
applies to. Without --unverified each is judged on the simulated device first. Writes OUT/NAME/ and OUT.tar.gz, and ends
with 1 where a format has no bundle.
"""
import argparse
import os
import pathlib
import re
import subprocess
import sys
import tarfile
import tempfile
import tomllib

os.environ.setdefault("SPARSERL_TRUST", "all")  # copies of projects are nobody's

WANTED = {
    "spmv": ["csr", "coo", "csc", "ell", "sell", "hyb", "dia", "bsr", "csr16", "sell16", "csr5", "tiles", "blocks", "windows",
             "panels", "order", "part", "scratch", "prepared"],
    "spmm": ["csr", "coo", "ell", "sell", "dia", "bsr", "csr16", "sell16", "tiles", "panels", "order", "dense", "part", "scratch"],
}
# The corpus has no program for windows, and none for SpMM with scratch: one of each by hand.
WINDOWS = """//! task spmv
//! format w = windows(rows=32)
//! launch k<<<w.count, 32>>>(rows, csr.row_ptr, csr.col, csr.val, w.window_ptr, w.col, x, y)
extern "C" __global__ void k(int rows, const int* row_ptr, const int* col, const float* val, const int* window_ptr,
                             const int* columns, const float* x, float* y)
{
    __shared__ float held[32];
    const int row = blockIdx.x * 32 + threadIdx.x;
    const int first = window_ptr[blockIdx.x], last = window_ptr[blockIdx.x + 1];
    int next = row < rows ? row_ptr[row] : 0;
    const int end = row < rows ? row_ptr[row + 1] : 0;
    float sum = 0;
    for (int from = first; from < last; from += 32) {
        __syncthreads();
        if (from + threadIdx.x < last)
            held[threadIdx.x] = x[columns[from + threadIdx.x]];
        __syncthreads();
        for (int c = from; c < min(from + 32, last); ++c)
            if (next < end && col[next] == columns[c])
                sum += val[next++] * held[c - from];
    }
    if (row < rows)
        y[row] = sum;
}
"""
HALVES = """//! task spmm
//! scratch halves f32[2 * rows * dense_cols]
//! launch half_rows<<<dim3(ceil_div(rows, 64), dense_cols, 2), 64>>>(rows, dense_cols, csr.row_ptr, csr.col, csr.val, B, halves)
//! launch add<<<ceil_div(rows * dense_cols, 64), 64>>>(rows * dense_cols, halves, C)
extern "C" __global__ void half_rows(int rows, int columns, const int* row_ptr, const int* col, const float* val,
                                     const float* B, float* halves)
{
    const int row = blockIdx.x * 64 + threadIdx.x;
    if (row >= rows)
        return;
    float sum = 0;
    for (int entry = row_ptr[row] + blockIdx.z; entry < row_ptr[row + 1]; entry += 2)
        sum += val[entry] * B[(long long)col[entry] * columns + blockIdx.y];
    halves[((long long)blockIdx.z * rows + row) * columns + blockIdx.y] = sum;
}
extern "C" __global__ void add(int count, const float* halves, float* C)
{
    const int place = blockIdx.x * 64 + threadIdx.x;
    if (place < count)
        C[place] = halves[place] + halves[count + place];
}
"""
BY_HAND = {"spmv": ("windows", WINDOWS), "spmm": ("scratch", HALVES)}


def features(text):
    """What of WANTED a program is an example of."""
    plan = [line for line in text.splitlines() if line.lstrip().startswith("//!")]
    found = set()
    for line in plan:
        match = re.match(r"\s*//!\s*format\s+(?:\w+\s*=\s*)?(\w+)", line)
        if match:
            found.add(match.group(1))
        for word in ("part", "scratch", "prepared"):
            if re.match(r"\s*//!\s*%s\b" % word, line):
                found.add(word)
    return found or {"csr"}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sparserl")
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--project", type=pathlib.Path, default=pathlib.Path("projects/quickstart"))
    parser.add_argument("--type", choices=("f32", "f64"), default="f32")
    parser.add_argument("--unverified", action="store_true")
    options = parser.parse_args()
    options.out.mkdir(parents=True)
    matrices = tomllib.loads((options.project / "project.toml").read_text())["matrix"]
    matrices = [m for m in matrices if m.get("file")]
    # Few diagonals, small and square, long rows: one of these suits every format.
    first = ["bwm2000", "494_bus", "rbsa480", "1138_bus"]
    matrices.sort(key=lambda m: first.index(m["name"]) if m["name"] in first else len(first))
    missing = []
    with tempfile.TemporaryDirectory() as folder:
        for task, wanted in WANTED.items():
            drawn = pathlib.Path(folder) / task
            sampling = ["corpus", "sample", "--task", task, "--type", options.type, "-n", "400", "--out", str(drawn)]
            subprocess.run([options.sparserl, *sampling],
                           check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            programs = [(features(path.read_text()), path) for path in sorted(drawn.glob("*.cu"))]
            feature, text = BY_HAND[task]
            if options.type == "f64":
                text = text.replace(f"task {task}", f"task {task} f64").replace("float", "double").replace("f32", "f64")
            by_hand = drawn / f"{feature}.cu"
            by_hand.write_text(text)
            programs.append(({feature}, by_hand))
            for number, what in enumerate(wanted):
                suitable = [path for found, path in programs if what in found][:4]
                done = False
                reason = "no program"
                for program in suitable:
                    for step in range(4):
                        matrix = matrices[(step + (0 if what in ("dia", "dense") else number)) % len(matrices)]
                        command = [options.sparserl, "export", "--program", str(program), "--matrix",
                                   str(options.project / matrix["file"]), "--out", str(options.out / ("%s-%s" % (task, what))),
                                   "--attribution", matrix.get("attribution", "")]
                        run = subprocess.run(command + ["--unverified"] * options.unverified, capture_output=True, text=True)
                        done = run.returncode == 0
                        if done:
                            break
                        reason = run.stderr.strip().splitlines()[-1] if run.stderr.strip() else "failed"
                    if done:
                        break
                print("%-20s %s" % ("%s %s" % (task, what), matrix["name"] if done else "MISSING: " + reason), flush=True)
                if not done:
                    missing.append((task, what))
    with tarfile.open(str(options.out) + ".tar.gz", "w:gz") as archive:
        archive.add(options.out, options.out.name)
    size = pathlib.Path(str(options.out) + ".tar.gz").stat().st_size
    print("%s.tar.gz: %.1f MB" % (options.out, size / 1e6))
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
