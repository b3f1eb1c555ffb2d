#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Builds exported bundles on a machine with an NVIDIA GPU, without CUDA's toolkit, and runs all they offer.

    bundles_on_gpu.py BUNDLES [--jobs 8] [--only "spmv-(csr|ell)"]      BUNDLES: a folder of bundles, or the .tar.gz of export_all_formats.py

For each bundle: CMake, a plain g++, the self-test, a conjugate gradient (examples/cg.cpp on a Laplacian, and on the matrix of
the bundle where it is symmetric), what create and updates cost, pip install, PyTorch (eager, torch.compile, CUDA graph,
streams, backward pass and its refusal, new values, a conjugate gradient beside one on cuSPARSE, arguments that are refused),
CuPy where it is installed (with examples/cg.py), the Python of the README. Prints two tables; ends with 1 where a step
failed. nvcc is kept off PATH and must not be needed; what a model wrote into program.cu must not matter, so hostile host code
is put into it before anything is built.
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import struct
import subprocess
import sys
import tarfile
import tempfile
import traceback

HOSTILE = """
#ifndef __CUDACC_RTC__
#include <cstdlib>
static int owned = std::system("echo OWNED > owned");
#endif
asm(".incbin \\"/etc/passwd\\"");
#error this is to be read, not to be compiled
"""
STEPS = ("cmake", "g++", "self-test", "cg", "cost", "pip", "torch", "cupy")
COSTS = ("product", "first create", "next create", "prepare_updates", "update_values")


def read_matrix(path):
    data = path.read_bytes()
    magic, rows, cols, nnz = struct.unpack_from("<4q", data)
    assert magic in (0x3152534353505253, 0x3252534353505253), "not a matrix of a bundle"
    real = "<f4" if magic == 0x3152534353505253 else "<f8"
    import numpy
    at = 32
    row_ptr = numpy.frombuffer(data, "<i4", rows + 1, at)
    col = numpy.frombuffer(data, "<i4", nnz, at + 4 * (rows + 1))
    val = numpy.frombuffer(data, real, nnz, at + 4 * (rows + 1 + nnz))
    return rows, cols, row_ptr, col, val


def refused(work, words, kind=Exception):
    try:
        work()
    except kind as error:
        assert words in str(error), "expected '%s' in: %s" % (words, error)
    else:
        raise AssertionError("not refused: " + words)


def laplacian(n):
    """Five points, on a square of n x n points, as a PyTorch CSR tensor."""
    import torch
    i = torch.arange(n * n)
    there = [(i >= n, -n, -1.0), (i % n > 0, -1, -1.0), (i >= 0, 0, 4.0), (i % n < n - 1, 1, -1.0), (i < n * n - n, n, -1.0)]
    row = torch.cat([i[mask] for mask, _, _ in there])
    col = torch.cat([i[mask] + step for mask, step, _ in there])
    val = torch.cat([torch.full((int(mask.sum()),), value) for mask, _, value in there])
    return torch.sparse_coo_tensor(torch.stack((row, col)), val, (n * n, n * n)).coalesce().to_sparse_csr()


def conjugate_gradient(product, b):
    """Iterations to 1e-5; scalars in float64."""
    r, p = b.clone(), b.clone()
    rr = float(r.double() @ r.double())
    wanted, steps = 1e-10 * rr, 0
    while rr > wanted:
        assert steps < len(b), "no convergence"
        q = product(p)
        r -= rr / float(p.double() @ q.double()) * q
        rr, before = float(r.double() @ r.double()), rr
        p = r + rr / before * p
        steps += 1
    return steps


def of_the_readme(bundle, module):
    """The block of Python in README.md that imports `module`, run in the folder of the bundle."""
    text = (bundle / "README.md").read_text()
    block, = (part.split("```")[0] for part in text.split("```python\n")[1:] if part.startswith("import %s\n" % module))
    os.chdir(bundle)
    exec(compile(block, "README.md", "exec"), {})


def peers(bundles):
    """Microseconds of PyTorch's own product with the matrix of each bundle, median of 100, as JSON."""
    import torch
    found = {}
    for bundle in map(pathlib.Path, bundles):
        rows, cols, row_ptr, col, val = read_matrix(bundle / "matrix.csr")
        n = json.loads((bundle / "manifest.json").read_text())["matrix"]["dense_cols"]
        matrix = torch.sparse_csr_tensor(*(torch.tensor(a.copy()) for a in (row_ptr, col, val)), (rows, cols)).cuda()
        x = torch.randn((cols,) if n == 1 else (cols, n), device="cuda", dtype=matrix.dtype)
        times = []
        for _ in range(110):
            begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
            begin.record()
            matrix @ x
            end.record()
            end.synchronize()
            times.append(1000 * begin.elapsed_time(end))
        found[bundle.name] = sorted(times[10:])[50]
    print(json.dumps(found))


def check_torch(bundle, name):
    """In a process of its own, with the installed package on its path."""
    import torch
    from importlib import import_module
    package, binding = import_module(name), import_module(name + ".with_torch")
    real = getattr(torch, package.DTYPE)
    other_type = torch.float32 if real == torch.float64 else torch.float64
    torch.set_default_dtype(real)
    unit = torch.finfo(real).eps / 2
    rows, cols, row_ptr, col, val = read_matrix(bundle / "matrix.csr")
    n = package.DENSE_COLS
    matrix = torch.sparse_csr_tensor(torch.tensor(row_ptr.copy()), torch.tensor(col.copy()), torch.tensor(val.copy()), (rows, cols))
    exact = matrix.to_dense().double()
    size = exact.abs()
    longest = int((row_ptr[1:] - row_ptr[:-1]).max())

    def near(got, a, magnitude, x):
        x = x.detach().cpu().double()
        bound = 4 * unit * (longest + 2) * (magnitude @ x.abs()) + 1e-30
        error = (got.detach().cpu().double() - a @ x).abs()
        assert bool((error <= bound).all()), "wrong by %g, %g allowed" % (error.max(), bound.max())

    def draw(length):
        return torch.randn((length,) if n == 1 else (length, n), device="cuda")

    op = binding.SparseOperator(matrix, device="cuda")
    assert op.verified, "the matrix of the bundle is the one it was verified on"
    for _ in range(3):
        x = draw(cols)
        near(op(x), exact, size, x)
    if n == 1:
        shifted = torch.randn(cols + 1, device="cuda")[1:]  # Not aligned to 16 bytes.
        near(op(shifted), exact, size, shifted)
        assert op(draw(cols).reshape(cols, 1)).shape == (rows, 1)
    else:
        across = torch.randn((n, cols), device="cuda").t()  # Not contiguous.
        near(op(across), exact, size, across)

    # Streams: the current one is used; two operators work side by side.
    other = binding.SparseOperator(matrix, device="cuda")
    streams = [torch.cuda.Stream(), torch.cuda.Stream()]
    inputs = [draw(cols), draw(cols)]
    torch.cuda.synchronize()
    results = []
    for stream, one, x in zip(streams, (op, other), inputs):
        with torch.cuda.stream(stream):
            for _ in range(20):
                y = one(x)
            results.append(y)
    torch.cuda.synchronize()
    for x, y in zip(inputs, results):
        near(y, exact, size, x)

    # CUDA graph: replayed with new inputs.
    held = draw(cols)
    graph = torch.cuda.CUDAGraph()
    torch.cuda.synchronize()
    with torch.cuda.graph(graph):
        y = op(held)
    for _ in range(3):
        held.copy_(draw(cols))
        graph.replay()
        torch.cuda.synchronize()
        near(y, exact, size, held)

    # torch.compile without a break in the graph.
    backends = ["aot_eager"] + ["inductor"] * bool(os.environ.get("BUNDLES_INDUCTOR"))
    for backend in backends:
        compiled = torch.compile(lambda x: -op(-x), fullgraph=True, backend=backend)
        x = draw(cols)
        near(compiled(x), exact, size, x)
    # Float atomics add in any order: two calls may differ in their last bits.
    torch.library.opcheck(getattr(torch.ops, name).multiply.default, (draw(cols), op._number, rows), rtol=1e-4, atol=1e-4)

    # New values for the same pattern, also where there is a backward pass; enqueued on the current stream, and captured.
    updated = binding.SparseOperator(matrix, device="cuda", updatable=True, differentiable=True)
    values = torch.randn(matrix.values().shape)
    changed = torch.sparse_csr_tensor(matrix.crow_indices(), matrix.col_indices(), values, (rows, cols)).to_dense().double()
    updated.update_values(values.cuda())
    x = draw(cols).requires_grad_()
    y = updated(x)
    near(y, changed, changed.abs(), x)
    g = draw(rows)
    y.backward(g)
    assert (x.grad.cpu().double() - changed.t() @ g.cpu().double()).abs().max() <= 1e-4 * (
        changed.abs().t() @ g.cpu().double().abs()).max(), "the gradient has the old values"
    held, kept = x.detach().clone(), values.cuda()
    stream = torch.cuda.Stream()
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, stream=stream):
        updated.update_values(kept)
        y = updated(held)
    kept.copy_(matrix.values())
    graph.replay()
    torch.cuda.synchronize()
    near(y, exact, size, held)
    refused(lambda: op.update_values(kept), "call prepare_updates once before", RuntimeError)
    refused(lambda: updated.update_values(kept[1:]), package.DTYPE + " tensor of", ValueError)
    refused(lambda: updated.update_values(kept.cpu()), "was made on cuda:0", ValueError)

    # A conjugate gradient, and the same on PyTorch's own product, which is cuSPARSE's.
    definite = laplacian(200).cuda() if n == 1 else None
    if definite is not None:
        try:
            kernel = binding.SparseOperator(definite, device="cuda")
        except RuntimeError as error:
            assert "does not apply to this matrix" in str(error), error
            definite = None
    if definite is not None:
        b = definite @ (1 + torch.arange(definite.shape[0], device="cuda") % 7 / 8).to(real)
        steps = [conjugate_gradient(product, b) for product in (kernel, lambda x: definite @ x)]
        print("conjugate gradient: %d iterations, with cuSPARSE %d" % tuple(steps))
        assert abs(steps[0] - steps[1]) <= 0.02 * steps[1] + 1, "other iterations than with cuSPARSE: %s" % steps

    # Gradients.
    x = draw(cols).requires_grad_()
    refused(lambda: op(x).sum().backward(), "has no backward pass", RuntimeError)
    differentiable = binding.SparseOperator(matrix, device="cuda", differentiable=True)
    g = draw(rows)
    differentiable(x).backward(g)
    expected = exact.t() @ g.cpu().double()
    error = (x.grad.cpu().double() - expected).abs().max()
    assert error <= 1e-4 * (size.t() @ g.cpu().double().abs()).max(), "gradient wrong by %g" % error
    y = torch.randn_like(x).requires_grad_()
    torch.compile(lambda x: differentiable(x).sum(), fullgraph=True, backend="aot_eager")(y).backward()
    assert y.grad is not None and bool(y.grad.isfinite().all())

    # What does not fit is refused.
    refused(lambda: op(draw(cols).cpu()), "is on cpu, but this operator was made on cuda:0", ValueError)
    refused(lambda: op(draw(cols).to(other_type)), "must be " + package.DTYPE, ValueError)
    refused(lambda: op(torch.randn((cols, n + 1), device="cuda")), "has shape", ValueError)
    refused(lambda: op(draw(cols + 1)), "has shape", ValueError)
    refused(lambda: binding.SparseOperator(matrix.to(other_type)), "must be " + package.DTYPE, ValueError)
    refused(lambda: op._handle.run(x.data_ptr(), g.data_ptr(), n + 1, None), "dense_cols = %d" % n, RuntimeError)
    on_host = torch.zeros(cols * n + 16)  # The context survives it.
    refused(lambda: op._handle.run(on_host.data_ptr() // 16 * 16 + 16, g.data_ptr(), n, None), "the GPU can reach", RuntimeError)
    near(op(x.detach()), exact, size, x)  # And nothing is broken by it.
    of_the_readme(bundle, "torch")


def check_cupy(bundle, name):
    import cupy
    import numpy
    import scipy.sparse
    from importlib import import_module
    package, binding = import_module(name), import_module(name + ".with_cupy")
    rows, cols, row_ptr, col, val = read_matrix(bundle / "matrix.csr")
    n, real = package.DENSE_COLS, getattr(cupy, package.DTYPE)
    unit, other_type = numpy.finfo(package.DTYPE).eps / 2, "float64" if package.DTYPE == "float32" else "float32"
    matrix = scipy.sparse.csr_matrix((val, col, row_ptr), shape=(rows, cols))
    longest = int((row_ptr[1:] - row_ptr[:-1]).max())
    op = binding.SparseOperator(matrix)
    assert op.verified

    def draw():
        return cupy.random.standard_normal((cols,) if n == 1 else (cols, n), dtype=real)

    def near(got, x):
        x = cupy.asnumpy(x).astype("float64")
        bound = 4 * unit * (longest + 2) * (abs(matrix.astype("float64")) @ abs(x)) + 1e-30
        assert (abs(cupy.asnumpy(got) - matrix.astype("float64") @ x) <= bound).all(), "wrong"

    x = draw()
    near(op(x), x)
    out = cupy.empty((rows,) if n == 1 else (rows, n), dtype=real)
    assert op(x, out=out) is out
    near(out, x)
    stream = cupy.cuda.Stream(non_blocking=True)
    cupy.cuda.Device().synchronize()
    with stream:
        near(op(x), x)
        stream.synchronize()
        stream.begin_capture()
        op(x, out=out)
        graph = stream.end_capture()
        out.fill(numpy.nan)
        graph.launch(stream)
        stream.synchronize()
    near(out, x)
    refused(lambda: op(x.astype(other_type)), "must be " + package.DTYPE, ValueError)
    refused(lambda: op(cupy.zeros(cols + 1, dtype=real)), "has shape", ValueError)
    updated = binding.SparseOperator(matrix, updatable=True)
    updated.update_values(-2 * cupy.asarray(matrix.data))
    x = draw()
    near(updated(x) / -2, x)
    refused(lambda: updated.update_values(cupy.zeros(1, dtype=real)), package.DTYPE + " array of", ValueError)
    of_the_readme(bundle, "cupy")
    done = subprocess.run([sys.executable, "examples/cg.py", "--laplacian", "200"], cwd=bundle, capture_output=True, text=True)
    assert done.returncode in (0, 77), done.stdout + done.stderr
    text = done.stdout
    steps = [int(number) for number in re.findall(r"(\d+) iterations", text)]
    assert n > 1 or "does not apply" in text or len(steps) == 4 and all(abs(a - b) <= 0.02 * b + 1 for a, b in zip(steps[::2], steps[1::2])), text


def run(command, folder, seconds=300, **environment):
    done = subprocess.run([str(part) for part in command], cwd=folder, capture_output=True, text=True, timeout=seconds,
                          env={**os.environ, **environment})
    if done.returncode != 0:
        raise RuntimeError("exit %d: %s" % (done.returncode, (done.stdout + done.stderr).strip()[-1500:]))
    return done.stdout


def build(bundle, target):
    """CMake, g++ and pip, each from nothing. Returns step -> problem ("" where there is none)."""
    name = json.loads((bundle / "manifest.json").read_text())["name"]
    with open(bundle / "program.cu", "a") as program:
        program.write(HOSTILE)
    sources = ["data", "driver", "formats", "interface", "matrix_file", "plan", "runtime", "updates", "value_map"]
    work = {
        "cmake": lambda: (run(["cmake", "-B", "build"], bundle), run(["cmake", "--build", "build"], bundle)),
        "g++": lambda: run(["g++", "-std=c++17", "-O2", "-Wall", "-Wextra", "-Werror", "-Isrc", "-Iinclude", "-o", "plain_self_test",
                            *("src/%s.cpp" % s for s in sources), "tests/self_test.cpp", "tests/benchmark.cpp", "tests/expected.cpp",
                            "-ldl"], bundle),
        "pip": lambda: run([sys.executable, "-m", "pip", "install", "--no-deps", "--no-index", "--target", target, "."], bundle),
    }
    return name, {step: attempt(one) for step, one in work.items()}


def attempt(work):
    try:
        work()
        return ""
    except Exception as problem:  # The table says what.
        return str(problem) or repr(problem)


def installed(module):
    return subprocess.run([sys.executable, "-c", "import " + module], capture_output=True).returncode == 0


def main():
    if len(sys.argv) > 1 and sys.argv[1] == "--peers":
        peers(sys.argv[2:])
        return 0
    if len(sys.argv) > 1 and sys.argv[1] in ("--torch", "--cupy"):
        (check_torch if sys.argv[1] == "--torch" else check_cupy)(pathlib.Path(sys.argv[2]), sys.argv[3])
        return 0
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bundles", type=pathlib.Path)
    parser.add_argument("--jobs", type=int, default=8)
    parser.add_argument("--only", default="", help="a regular expression: only bundles whose names it matches as a whole")
    options = parser.parse_args()
    os.environ["PATH"] = os.pathsep.join(p for p in os.environ["PATH"].split(os.pathsep) if not pathlib.Path(p, "nvcc").exists())
    os.environ.pop("CUDA_HOME", None)
    work = pathlib.Path(tempfile.mkdtemp())
    if options.bundles.is_dir():
        subprocess.run(["cp", "-r", str(options.bundles), str(work / "bundles")], check=True)
    else:
        with tarfile.open(options.bundles) as archive:
            archive.extractall(work / "bundles", filter="data")
    bundles = sorted(path.parent for path in (work / "bundles").rglob("manifest.json")
                     if not options.only or re.fullmatch(options.only, path.parent.name))
    packages = work / "packages"
    bindings = [(step, flag) for step, flag in (("torch", "--torch"), ("cupy", "--cupy")) if installed(step)]
    print("%d bundles; nvcc on PATH: no; %s" % (len(bundles), "; ".join(
        "%s: %s" % (m, "yes" if installed(m) else "not installed, left out") for m in ("torch", "cupy"))), flush=True)

    outcome, names, timing, solved, costs = {}, {}, {}, {}, {}
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for bundle, (name, steps) in zip(bundles, pool.map(lambda b: build(b, packages / b.name), bundles)):
            names[bundle], outcome[bundle] = name, steps
        # What create has to pay for itself against: cuSPARSE, as PyTorch calls it.
        library = json.loads(run([sys.executable, __file__, "--peers", *bundles], work)) if installed("torch") else {}
        for bundle in bundles:  # One at a time: it measures.
            def self_test(bundle=bundle):
                text = run(["build/%s_self_test" % names[bundle], "matrix.csr"], bundle)
                timing[bundle] = text.strip().splitlines()[-1]
                run(["./plain_self_test", "--no-timing", "matrix.csr"], bundle)

            def solve(bundle=bundle):
                said = []
                for words in (["--laplacian", "200"], ["matrix.csr"]):
                    done = subprocess.run(["build/%s_cg" % names[bundle], *words], cwd=bundle, capture_output=True, text=True,
                                          timeout=300)
                    fair = ["does not apply to this matrix"]
                    if words == ["matrix.csr"]:  # As the matrix is.
                        fair += ["is not symmetric", "is not positive definite", "NOT CONVERGED"]
                    if done.returncode != 0 and not any(one in done.stdout for one in fair):
                        raise RuntimeError("exit %d: %s" % (done.returncode, done.stdout + done.stderr))
                    said += ["cg %s: %s" % (words[0], line) for line in done.stdout.strip().splitlines()]
                solved[bundle] = "\n".join(said)

            def cost(bundle=bundle):
                against = ["--against", "%f" % library[bundle.name]] if bundle.name in library else []
                text = run(["build/%s_self_test" % names[bundle], "--benchmark", *against, "matrix.csr"], bundle)
                costs[bundle] = dict(re.split(r"\s{1,}(?=\S+ (?:ms|us),)", line, maxsplit=1) for line in text.splitlines()
                                     if line.startswith(COSTS))
                costs[bundle]["pays"] = text.strip().splitlines()[-1]
            outcome[bundle]["self-test"] = attempt(self_test)
            outcome[bundle]["cg"] = attempt(solve)
            outcome[bundle]["cost"] = attempt(cost)

        def bind(job):
            bundle, (step, flag) = job
            first = bundle.name.endswith("-csr")
            return attempt(lambda: run([sys.executable, __file__, flag, bundle, names[bundle]], work, 500,
                                       PYTHONPATH=str(packages / bundle.name), **({"BUNDLES_INDUCTOR": "1"} if first else {})))
        jobs = [(bundle, one) for bundle in bundles for one in bindings]
        for (bundle, (step, _)), problem in zip(jobs, pool.map(bind, jobs)):
            outcome[bundle][step] = problem

    print("\n%-18s" % "bundle" + "".join("%-11s" % step for step in STEPS))
    bad = 0
    for bundle in bundles:
        steps = outcome[bundle]
        print("%-18s" % bundle.name + "".join("%-11s" % ("-" if s not in steps else "FAIL" if steps[s] else "ok") for s in STEPS)
              + timing.get(bundle, ""))
        bad += sum(1 for problem in steps.values() if problem)
    for bundle in bundles:
        for step, problem in outcome[bundle].items():
            if problem:
                print("\n%s, %s: %s" % (bundle.name, step, problem))
    print("\n%-18s" % "bundle" + "".join("%-40s" % what for what in COSTS))
    for bundle in bundles:
        print("%-18s" % bundle.name + "".join("%-40s" % costs.get(bundle, {}).get(what, "-") for what in COSTS))
    for bundle in bundles:
        print("\n%s\n%s\n%s" % (bundle.name, costs.get(bundle, {}).get("pays", ""), solved.get(bundle, "")))
    owned = [str(path) for path in work.rglob("owned")]
    print("\nhost code that a program brought along ran: %s" % (", ".join(owned) if owned else "never"))
    print("%d steps failed" % bad)
    return 1 if bad or owned or not bundles else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Exception:
        traceback.print_exc()
        sys.exit(1)
