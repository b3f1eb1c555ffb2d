#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints tests/policy/fixtures/matrix_tokens.json: the matrix embedding computed with NumPy from the formulas alone.

Usage: make_matrix_tokens_fixture.py > tests/policy/fixtures/matrix_tokens.json
"""
import json

import numpy as np

def pe(index, dim):
    """Eq. 2 of SparseRL."""
    out = np.zeros((len(index), dim))
    for j in range(dim // 2):
        out[:, 2 * j] = np.sin(index / 10000.0 ** (2 * j / dim))
        out[:, 2 * j + 1] = np.cos(index / 10000.0 ** (2 * j / dim))
    return out


def log2p1(x):
    return np.log2(1.0 + x)


def embed(rows, cols, r, c, dim):
    """Of a matrix with entries (r, c), row by row: the feature vector, [PE(r) | PE(c)] and what comes behind it."""
    length = np.bincount(r, minlength=rows)
    nnz = len(r)
    mean = nnz / rows
    cv = length.std() / mean
    ordered = np.sort(length)
    low = lambda q: ordered[int(q * (rows - 1))]
    gini = np.abs(length[:, None] - length[None, :]).sum() / (2 * rows * rows * mean)
    gaps = [b - a for i in range(rows) for a, b in zip(c[r == i][:-1], c[r == i][1:])]
    diagonals = len(set((c - r).tolist()))
    blocks = len(set(zip((r // 4).tolist(), (c // 4).tolist())))
    features = [
        log2p1(rows) / 24, log2p1(cols) / 24, log2p1(nnz) / 28, np.log10(nnz / (rows * cols)) / 12,
        log2p1(mean) / 16, log2p1(length.max()) / 20, log2p1(length.std()) / 16, np.tanh(cv / 2),
        (length == 0).mean(), log2p1(low(0)) / 16, log2p1(low(0.5)) / 16, log2p1(low(0.8)) / 16,
        log2p1(low(0.99)) / 16, log2p1(length.max() / mean) / 16, (length <= 4).mean(), (length >= 32).mean(), gini,
        np.abs(c - r).mean() / max(rows, cols), log2p1(diagonals) / 20, nnz / (diagonals * rows), nnz / (blocks * 16),
        log2p1(np.mean(gaps)) / 20, np.mean(np.array(gaps) == 1), nnz / (rows * length.max()),
    ]
    position = np.concatenate([np.arange(n) for n in length])
    extras = np.stack([log2p1(length[r]) / 16, (position + 0.5) / length[r], r / rows, c / cols,
                       np.sign(c - r) * log2p1(np.abs(c - r)) / 24], 1)
    return [float(f) for f in features], np.concatenate([pe(r, dim), pe(c, dim)], 1), extras


def quad_tree(points, top, left, side):
    """[row, col, side, children]; a square with one quarter that is not empty is that quarter."""
    if len(points) == 1:
        return [points[0][0], points[0][1], 1, []]
    half = side // 2
    quarters = []
    for down in (0, 1):
        for right in (0, 1):
            inside = [p for p in points if (p[0] >= top + half) == bool(down) and (p[1] >= left + half) == bool(right)]
            if inside:
                quarters.append(quad_tree(inside, top + down * half, left + right * half, half))
    return quarters[0] if len(quarters) == 1 else [top, left, side, quarters]


def quad_entry(node, kind, dim):
    one_hot = [float(kind == k) for k in ("open", "close", "leaf")]
    position = np.concatenate([pe(np.array([node[0]]), dim)[0], pe(np.array([node[1]]), dim)[0]])
    return position.tolist() + one_hot + [np.log2(node[2]) / 32]


def quad_walk(node, dim):
    """UniXcoder's mapping of a tree to a sequence."""
    if not node[3]:
        return [quad_entry(node, "leaf", dim)]
    inside = [e for child in node[3] for e in quad_walk(child, dim)]
    return [quad_entry(node, "open", dim)] + inside + [quad_entry(node, "close", dim)]


def quad_nodes(node, parent, entries, parents, dim):
    at = len(entries)
    entries.append(quad_entry(node, "open" if node[3] else "leaf", dim))
    parents.append(parent)
    for child in node[3]:
        quad_nodes(child, at, entries, parents, dim)


def main():
    rng = np.random.default_rng(7)
    rows, cols = 37, 29
    dense = rng.random((rows, cols)) < 0.12
    dense[5, :] = True   # one dense row
    dense[11:14, :] = False  # empty rows
    dense[0, 0] = True
    r, c = np.nonzero(dense)
    nnz, dim = len(r), 10
    features, sinusoidal, extras = embed(rows, cols, r, c, dim)
    tree = quad_tree(list(zip(r.tolist(), c.tolist())), 0, 0, 64)
    walk, nodes, parents = quad_walk(tree, dim), [], []
    quad_nodes(tree, -1, nodes, parents, dim)
    quad_some = [0, 1, 2, len(parents) // 3, len(parents) - 1]
    some = [0, 1, 17, nnz // 2, nnz - 1]
    print(json.dumps({
        "rows": rows, "cols": cols, "r": r.tolist(), "c": c.tolist(), "pe_dim": dim,
        "checked": some,
        "raw": np.stack([r, c], 1)[some].tolist(),
        "maxmin": np.stack([r / rows, c / cols], 1)[some].tolist(),
        "sinusoidal": sinusoidal[some].tolist(),
        "sinusoidal+structure": np.concatenate([sinusoidal, extras], 1)[some].tolist(),
        "quadtree": {"count": len(walk), "checked": quad_some, "entries": [walk[i] for i in quad_some], "last": walk[-1]},
        "quadtree-attention": {"count": len(nodes), "checked": quad_some, "entries": [nodes[i] for i in quad_some],
                               "parents": parents},
        "features": features,
        "pe_large": {"index": 1234567, "dim": 8, "values": pe(np.array([1234567]), 8)[0].tolist()},
    }))


if __name__ == "__main__":
    main()
