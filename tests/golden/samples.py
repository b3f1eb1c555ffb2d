# SPDX-License-Identifier: Apache-2.0
"""Which programs and matrices the golden outputs are made of. Fixed seeds: the same ones every time."""

JUDGE_SEED = 20260101

SPMV_FAMILIES = [f"S{n}" for n in (*range(1, 16), 17, 18)] + ["dense"]
SPMM_FAMILIES = [f"M{n}" for n in (*range(1, 9), *range(11, 21))]

FILES = ["1138_bus", "bcsstk09", "cage8", "well1033", "polblogs", "dw1024"]

# Small ones of every generator: judging them takes a tenth of a second.
SMALL = [
    "banded(n=401,band=3,fill=0.9)",
    "lp(rows=240,cols=1500,mean=4,long=3,longfill=0.9)",
    "rmat(scale=8,degree=5)",
    "pruned(rows=61,cols=333,sparsity=0.6)",
    "stencil2d(n=20,points=9)",
    "blockfem(nodes=64,block=3)",
    "random(rows=300,cols=280,mean=12)",
    "stencil3d(n=7,points=7)",
]

# For features and recommendations: many sizes, nothing is run on them.
MANY = SMALL + [
    "stencil2d(n=90,m=16,points=5)", "stencil2d(n=300,points=5)", "stencil3d(n=20,points=27)",
    "stencil3d(n=13,points=19)", "banded(n=3000,band=2,fill=1)", "banded(n=1500,band=6,fill=0.9)",
    "banded(n=600,band=40,fill=0.35)", "banded(n=20000,band=1,fill=1)", "blockfem(nodes=225,block=3)",
    "blockfem(nodes=196,block=6,scramble=0.3)", "blockfem(nodes=900,block=2)", "rmat(scale=11,degree=6)",
    "rmat(scale=10,degree=12)", "rmat(scale=13,degree=16,seed=5)", "rmat(scale=12,degree=2)",
    "lp(rows=1500,cols=3000,mean=4,long=3,longfill=0.5)", "lp(rows=800,cols=4000,mean=6,long=2,longfill=0.8)",
    "lp(rows=20000,cols=10000,mean=8,long=4,longfill=0.3)", "pruned(rows=256,cols=512,sparsity=0.9)",
    "pruned(rows=128,cols=1024,sparsity=0.5)", "pruned(rows=64,cols=2048,sparsity=0.88)",
    "pruned(rows=2048,cols=512,sparsity=0.98)", "random(rows=2500,cols=2500,mean=5)",
    "random(rows=800,cols=800,mean=20)", "random(rows=400,cols=900,mean=45)", "random(rows=30000,cols=300,mean=1)",
]


def matrix_file(tools, name):
    return tools.root / "projects/quickstart/matrices" / f"{name}.mtx.gz"


def words(tools, names, files):
    """Generators as they are; files by their path."""
    return [*names, *(matrix_file(tools, name) for name in files)]


def short(word):
    """A name for an output: the generator, or the file's without folder and endings."""
    text = str(word)
    return text if text.endswith(")") else text.rsplit("/", 1)[-1].removesuffix(".mtx.gz")
