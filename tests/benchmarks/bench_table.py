#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tables in Markdown from what `sparserl bench --csv` wrote: bench_table.py SPMV.csv [MORE.csv ...]"""
import csv
import math
import statistics
import sys

BINS = [(0, 10_000, "below 10,000"), (10_000, 50_000, "10,000 to 50,000"), (50_000, 200_000, "50,000 to 200,000"),
        (200_000, 1_000_000, "200,000 to 1,000,000"), (1_000_000, None, "1,000,000 or more")]


def number(text):
    return float(text) if text else 0.0


class Matrix:
    """All rows of one matrix."""

    def __init__(self, row):
        self.name, self.kind = row["matrix"], row["class"] or "other"
        self.rows, self.cols, self.nnz = int(row["rows"]), int(row["cols"]), int(row["nnz"])
        self.programs, self.baselines = [], []

    def best(self):
        return next((r for r in self.programs if r["best"] == "1"), None)

    def baseline(self):
        """The fastest CSR routine of the library."""
        timed = [r for r in self.baselines if r["csr_baseline"] == "1" and r["dropped"] == "0" and number(r["warm_us"]) > 0]
        return min(timed, key=lambda r: number(r["warm_us"]), default=None)

    def default(self):
        return next((r for r in self.baselines if r["variant"].startswith("DEFAULT")), None)

    def any_format(self):
        """The fastest routine of any format, where formats other than CSR were timed."""
        timed = [r for r in self.baselines if number(r["warm_us"]) > 0]
        others = [r for r in timed if r["csr_baseline"] == "0" and not r["variant"].startswith("DEFAULT")]
        return min(timed, key=lambda r: number(r["warm_us"])) if others else None

    def speedup(self):
        """Measured in turn with the baseline where that was possible."""
        best = self.best()
        return number(best["in_turn_speedup"]) or number(best["speedup"]) if best else 0.0


def read(path):
    matrices = {}
    with open(path, newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            matrix = matrices.setdefault(row["matrix"], Matrix(row))
            row["columns"] = int(row["dense_columns"])
            (matrix.programs if row["kind"] == "program" else matrix.baselines).append(row)
    return list(matrices.values())


def geomean(values):
    values = [v for v in values if v > 0]
    return math.exp(sum(map(math.log, values)) / len(values)) if values else 0.0


def table(header, rows, left=1):
    lines = ["| " + " | ".join(header) + " |", "|" + "|".join(["---"] * left + ["---:"] * (len(header) - left)) + "|"]
    return "\n".join(lines + ["| " + " | ".join(str(c) for c in row) + " |" for row in rows]) + "\n"


def group(name, matrices):
    ratios = sorted(m.speedup() for m in matrices)
    limit = geomean([number(m.best()["share_of_limit"]) for m in matrices])
    return [name, len(ratios), f"{geomean(ratios):.2f}", f"{ratios[len(ratios) // 2]:.2f}", f"{ratios[0]:.2f}",
            sum(r < 1 for r in ratios), sum(r < 0.9 for r in ratios), f"{100 * limit:.0f} %"]


def groups(matrices):
    named = [("all", matrices)]
    if any(m.nnz < 50_000 for m in matrices) and any(m.nnz >= 50_000 for m in matrices):
        named.append(("50,000 or more non-zeros", [m for m in matrices if m.nnz >= 50_000]))
    for low, high, name in BINS:
        named.append((name, [m for m in matrices if m.nnz >= low and (high is None or m.nnz < high)]))
    for kind in sorted({m.kind for m in matrices}):
        named.append((kind, [m for m in matrices if m.kind == kind]))
    header = ["matrices", "n", "geometric mean", "median", "least", "below 1.0", "below 0.9", "of the limit"]
    return table(header, [group(name, some) for name, some in named if some])


def family_rows(matrices):
    """How often a family is best, how fast its best program is, and what setting it up costs."""
    names = sorted({r["family"] for m in matrices for r in m.programs})
    rows = []
    for name in names:
        wins, ratios, conversion, prepare, even = 0, [], [], [], []
        for m in matrices:
            timed = [r for r in m.programs if r["family"] == name and r["best_of_family"] == "1"]
            if not timed:
                continue
            row = timed[0]
            wins += row["best"] == "1"
            ratios.append(number(row["speedup"]))
            conversion.append(number(row["conversion_us"]))
            prepare.append(number(row["setup_us"]))
            if row["break_even_calls"]:
                even.append(float(row["break_even_calls"]))
        if not ratios:
            continue
        rows.append((wins, [name, wins, len(ratios), f"{geomean(ratios):.2f}", f"{statistics.median(conversion) / 1e3:.2f}",
                            f"{statistics.median(prepare):.1f}", f"{statistics.median(even):,.0f}" if even else "-"]))
    rows.sort(key=lambda r: -r[0])
    header = ["family", "best on", "within 1.5x of the best on", "its geometric mean", "conversion, ms", "prepare, us",
              "break-even, calls"]
    return table(header, [r for _, r in rows])


def single(matrices):
    """The one program that would do best for every matrix it was timed on; only those timed everywhere count."""
    ratios, applies = {}, {}
    for m in matrices:
        base = number(m.baseline()["warm_us"])
        for r in m.programs:
            if not r["problem"] and number(r["warm_us"]) > 0:
                ratios.setdefault((r["family"], r["variant"]), {})[m.name] = base / number(r["warm_us"])
    everywhere = {k: geomean(v.values()) for k, v in ratios.items() if len(v) == len(matrices)}
    if not everywhere:
        return ""
    (family, variant), value = max(everywhere.items(), key=lambda item: item[1])
    return f"The best single program for all of them, {family} `{variant}`, reaches {value:.2f}.\n"


def worst(matrices, count=8):
    order = sorted(matrices, key=Matrix.speedup)
    shown = order[:max(count, sum(m.speedup() < 1 for m in order))]
    rows = []
    for m in shown:
        best, base = m.best(), m.baseline()
        rows.append([m.name, m.kind, f"{m.rows:,} x {m.cols:,}", f"{m.nnz:,}", best["family"], f"{number(best['warm_us']):.2f}",
                     base["variant"], f"{number(base['warm_us']):.2f}", f"{m.speedup():.3f}"])
    return table(["matrix", "class", "size", "non-zeros", "family", "us", "baseline", "us", "speed-up"], rows, 2)


def report(path):
    every = read(path)
    matrices = [m for m in every if m.best() and m.baseline()]
    if not matrices:
        print(f"{path}: no matrix has both a program and a baseline", file=sys.stderr)
        return False
    row = matrices[0].best()
    task = "SpMV" if row["columns"] == 1 else f"SpMM, {row['columns']} columns"
    print(f"## {task}: {len(matrices)} matrices on {row['device']}\n")
    print(groups(matrices))
    defaults = [number(m.default()["warm_us"]) / number(m.best()["warm_us"]) for m in matrices if m.default()]
    if defaults:
        print(f"Over DEFAULT without preprocessing, the papers' baseline: {geomean(defaults):.2f} on {len(defaults)} matrices.\n")
    formats = [number(m.any_format()["warm_us"]) / number(m.best()["warm_us"]) for m in matrices if m.any_format()]
    if formats:
        print(f"Over the best of all its formats and cuBLAS, conversion excluded on both sides: {geomean(formats):.2f} on "
              f"{len(formats)} matrices, {sum(f < 1 for f in formats)} below 1.0.\n")
    bases = {}
    for m in matrices:
        bases[m.baseline()["variant"]] = bases.get(m.baseline()["variant"], 0) + 1
    print("Best routine of the library: " + "; ".join(f"{k}: {v}" for k, v in sorted(bases.items(), key=lambda i: -i[1])) + ".\n")
    print(single(matrices))
    cold = [(number(m.baseline()["cold_us"]), number(m.best()["cold_us"])) for m in matrices]
    cold = [a / b for a, b in cold if a > 0 and b > 0]
    if cold:
        print(f"With empty caches: {geomean(cold):.2f} on {len(cold)} matrices.\n")
    print(family_rows(matrices))
    print(worst(matrices))
    missing = len(every) - len(matrices)
    problems = sum(bool(r["problem"]) for m in every for r in m.programs)
    clocks = sum(r["clocks_agree"] == "0" for m in every for r in m.programs)
    print(f"Left out because a program or a baseline is missing: {missing}; programs with a problem: {problems}; times on which "
          f"events and the host's clock disagree: {clocks}.\n")
    return True


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    sys.exit(0 if all([report(path) for path in sys.argv[1:]]) else 1)
