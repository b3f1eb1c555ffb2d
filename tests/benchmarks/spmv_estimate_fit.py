#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fits what turns the terms of the SpMV estimate into times, for each family in core/corpus/spmv, to measured times.

Usage: bench_spmv_estimate_fit MEASURED.jsonl MATRIX... > terms.tsv; spmv_estimate_fit.py terms.tsv > fits.txt
Needs NumPy and SciPy. Prints the `.fits` of each family for its file ("S15/2": with tickets, the first of the two of
S15; clang-format lays them out); on stderr how well they fit and how near to the best
measured program the first, the best of three and the best of five by estimate come.
"""
import collections
import json
import sys

import numpy as np
from scipy.optimize import nnls

NAMES = "const launch zero chain waves l2 dram starved gather issue blocks alone extra streamchain streambytes".split()
NOMINAL = np.array([1.0, 0.5, 1.08, 0.7, 0.3, 1, 1, 0.3, 1.5, 0.8, 0.3, 0.5, 1, 0.1, 0.1])
OWN = [0, 1, 2, 3, 12, 13]  # Terms whose weight is a family's own; the rest is physics that all share.


def fit(terms, times, importance, prior, tie):
    """Non-negative least squares on relative errors, robust, tied to `prior` by `tie` (larger: closer)."""
    a = terms / times[:, None]
    scale = np.maximum(np.sqrt((a**2).mean(0)), 0.02)
    ridge = np.diag(tie * scale) * np.sqrt(len(times))
    both = np.vstack([a, ridge])
    target = np.concatenate([np.ones(len(times)), ridge @ prior])
    weight = np.ones(len(times))
    for _ in range(20):
        w = np.concatenate([np.sqrt(weight * importance), np.ones(len(prior))])
        result, _ = nnls(both * w[:, None], target * w)
        weight = 0.15 / np.maximum(0.15, np.abs(a @ result - 1))
    return result


def factors(parameters, tails, residuals, importance):
    """What values of parameters do to a family beyond its terms: ridge regression of logarithms on indicators."""
    count = collections.Counter((k, v) for p in parameters for k, v in p.items())
    values = collections.defaultdict(set)
    for k, v in count:
        values[k].add(v)
    enough = max(12, 0.015 * len(parameters))
    columns = [c for c in sorted(count) if count[c] >= enough and len(values[c[0]]) > 1]
    x = np.array([[1.0, 4 * tail] + [float(p.get(k) == v) for k, v in columns] for p, tail in zip(parameters, tails)])
    w = importance * 0.2 / np.maximum(0.2, np.abs(residuals - np.median(residuals)))
    ridge = np.diag([0.0] + [6.0] * (1 + len(columns)))
    solution = np.linalg.solve(x.T @ (w[:, None] * x) + ridge, x.T @ (w * residuals))
    kept = {c: s for c, s in zip(columns, solution[2:]) if abs(s) >= 0.03}
    slope = 4 * solution[1]
    change = [solution[0] + slope * tail + sum(kept.get(c, 0.0) for c in p.items()) for p, tail in zip(parameters, tails)]
    return kept, slope, solution[0], np.array(change)


class Measured:
    """Programs on matrices: what was measured, and the terms of the estimate."""

    def __init__(self, matrix, family, settings, times, terms, tails):
        self.matrix, self.family, self.settings = matrix, np.array(family), settings
        self.times, self.terms, self.tails = np.array(times), np.array(terms), np.array(tails)
        best = collections.defaultdict(lambda: np.inf)
        for name, time in zip(matrix, self.times):
            best[name] = min(best[name], time)
        # What is far from the best of its matrix need not be told apart well.
        self.importance = np.array([np.clip(2 * best[m] / t, 0.1, 1) for m, t in zip(matrix, self.times)])

    def reached(self, keys, count):
        """Share of the best measured time that the first `count` by the smallest keys reach, mean of matrices."""
        by_matrix = collections.defaultdict(list)
        for index, name in enumerate(self.matrix):
            by_matrix[name].append(index)
        shares = []
        for indices in by_matrix.values():
            indices = np.array(indices)
            first = indices[np.argsort(keys[indices], kind="stable")][:count]
            shares.append(self.times[indices].min() / self.times[first].min())
        return np.mean(shares)


def fit_families(data, shared, own, varying, only):
    """Fits each family beside what all share; prints their `.fits`. `own`: terms whose weight is a family's own, the
    rest is physics; `varying`: families that launch and clear differently from program to program; `only`: a family's
    condition on parameters. Returns the estimates."""
    estimate = np.zeros(len(data.times))
    for name in sorted(set(data.family)):
        chosen = data.family == name
        tie = np.full(len(shared), 3.0)
        tie[own] = 0.05 if chosen.sum() >= 150 else 0.3
        if name not in varying:
            tie[[1, 2]] = 8  # Others always launch and clear the same: no data to tell.
        weights = fit(data.terms[chosen], data.times[chosen], data.importance[chosen], shared, tie)
        estimate[chosen] = data.terms[chosen] @ weights
        where = np.flatnonzero(chosen)
        residuals = np.log(data.times[where] / estimate[where])
        kept, slope, level, change = factors(
            [data.settings[i] for i in where], data.tails[where], residuals, data.importance[where])
        estimate[where] *= np.exp(change)
        weights = weights * np.exp(level)
        adjusted = ", ".join(f'{{"{k}", {v}, {np.exp(f):.3g}}}' for (k, v), f in sorted(kept.items()))
        near = chosen & (data.importance > 0.66)
        error = np.median(np.abs(np.log(estimate[near] / data.times[near]))) if near.any() else np.nan
        print(f"{name}: {chosen.sum()} programs, median error near the best {100 * error:.0f} %", file=sys.stderr)
        print(f"// {name}\n{{.weights = {{{', '.join(f'{w:.3g}' for w in weights)}}}, .tail = {slope:.3g}, "
              f".factors = {{{adjusted}}}{only.get(name, '')}}}")
    return estimate


def main():
    rows = [line.rstrip("\n").split("\t") for line in open(sys.argv[1], encoding="utf-8")]
    rows = [r for r in rows if not any(v in ("inf", "nan", "-nan") for v in r[3:])]
    data = Measured(
        matrix=[r[0] for r in rows],
        family=["S15/2" if r[1] == "S15" and '"mode":2' in r[2] else r[1] for r in rows],
        settings=[json.loads(r[2]) for r in rows],
        times=[float(r[3]) for r in rows],
        terms=[[float(v) for v in r[4:-1]] for r in rows],
        tails=[float(r[-1]) for r in rows])
    shared = fit(data.terms, data.times, data.importance, NOMINAL, np.full(len(NAMES), 0.2))
    shared[1], shared[2], shared[7] = 0.6, 1.08, 0.05
    estimate = fit_families(data, shared, OWN, ("S12", "S15", "S15/2"),
                            {"S15/2": ', .parameter = "mode", .value = 2'})
    for count in (1, 3, 5):
        print(f"best of the first {count}: {data.reached(estimate, count):.3f} of the best measured", file=sys.stderr)


if __name__ == "__main__":
    main()
