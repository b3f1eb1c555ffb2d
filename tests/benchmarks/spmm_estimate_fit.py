#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fits a time of SpMM programs, as the estimate of SpMV has one, and says whether it would choose better than today's scores.

  sparserl device calibrate --device cuda --columns 8,32,128 --programs 60 --recommended 40 --pack FILE.pack \\
      --no-simulation --data spmm_rows.jsonl
  bench_spmm_estimate_fit spmm_rows.jsonl FILE.pack > terms.tsv
  spmm_estimate_fit.py terms.tsv > fits.txt

Needs NumPy and SciPy. Prints the fits of each family; on stderr how well they fit, and how near to the best measured program the
first few come: by the scores of today, by the fit, and by a fit to other matrices (five folds by matrix), which is the one
to compare with the scores.
"""
import json
import sys

import numpy as np

from spmv_estimate_fit import Measured, fit, fit_families

NAMES = ("const launch zero chain waves a dram starved gather gather_all gather_dram c issue blocks alone atomics").split()
NOMINAL = np.array([1.0, 0.6, 1.0, 0.7, 0.2, 0.4, 0.5, 0.05, 0.4, 0.1, 0.2, 0.3, 0.8, 0.2, 0.3, 1.0])
OWN = [0, 3, 4, 12, 15]  # Terms whose weight is a family's own.
VARYING = ("M11",)
FOLDS = 5


def subset(data, where):
    return Measured([data.matrix[i] for i in where], data.family[where], [data.settings[i] for i in where], data.times[where],
                    data.terms[where], data.tails[where])


def shared_weights(data):
    return fit(data.terms, data.times, data.importance, NOMINAL, np.full(len(NAMES), 0.2))


def predicted(known, asked):
    """Estimates for `asked` from fits to `known`: their families' weights without factors of parameters."""
    shared = shared_weights(known)
    estimate = asked.terms @ shared
    for name in set(asked.family):
        mine, theirs = known.family == name, asked.family == name
        if mine.sum() < 12:
            continue
        tie = np.full(len(NAMES), 3.0)
        tie[OWN] = 0.05 if mine.sum() >= 150 else 0.3
        weights = fit(known.terms[mine], known.times[mine], known.importance[mine], shared, tie)
        residuals = np.log(known.times[mine] / (known.terms[mine] @ weights))
        estimate[theirs] = asked.terms[theirs] @ weights * np.exp(np.median(residuals))
    return estimate


def across_folds(data):
    matrices = sorted({m.rsplit("@", 1)[0] for m in data.matrix})
    fold = {m: i % FOLDS for i, m in enumerate(matrices)}
    of = np.array([fold[m.rsplit("@", 1)[0]] for m in data.matrix])
    estimate = np.zeros(len(data.times))
    for k in range(min(FOLDS, len(matrices))):
        asked = np.flatnonzero(of == k)
        estimate[asked] = predicted(subset(data, np.flatnonzero(of != k)), subset(data, asked))
    return estimate


def main():
    rows = [line.rstrip("\n").split("\t") for line in open(sys.argv[1], encoding="utf-8")]
    rows = [r for r in rows if not any(v in ("inf", "nan", "-nan") for v in r[3:])]
    data = Measured(
        matrix=[r[0] for r in rows],
        family=[r[1] for r in rows],
        settings=[json.loads(r[2]) for r in rows],
        times=[float(r[3]) for r in rows],
        terms=[[float(v) for v in r[5:-1]] for r in rows],
        tails=[float(r[-1]) for r in rows])
    scores = np.array([float(r[4]) for r in rows])
    estimate = fit_families(data, shared_weights(data), OWN, VARYING, {})
    others = across_folds(data)
    print(f"{len(rows)} programs on {len(set(data.matrix))} matrices and widths, {np.mean(scores > 0):.0%} of them recommended",
          file=sys.stderr)
    for count in (1, 3, 5):
        print(f"best of the first {count}: {data.reached(-scores, count):.3f} of the best measured by score, "
              f"{data.reached(estimate, count):.3f} by the fit, {data.reached(others, count):.3f} by a fit to other matrices",
              file=sys.stderr)


if __name__ == "__main__":
    main()
