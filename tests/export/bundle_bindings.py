# SPDX-License-Identifier: Apache-2.0
"""Uses the library of an installed bundle as the bindings do, on the driver that LD_LIBRARY_PATH leads to.

    bundle_bindings.py BUNDLE TARGET      TARGET: where pip has installed it; ends with 0 where all is right
"""
import array
import ctypes
import json
import pathlib
import struct
import subprocess
import sys


def main():
    bundle = pathlib.Path(sys.argv[1]).resolve()
    name = json.loads((bundle / "manifest.json").read_text())["name"]

    # Where it is not built, importing says what to do.
    unbuilt = subprocess.run([sys.executable, "-c", "from %s import _library" % name], capture_output=True, text=True,
                             env={"PYTHONPATH": str(bundle / "python"), "PATH": ""})
    assert unbuilt.returncode != 0 and "is not built: run `pip install .`" in unbuilt.stderr, unbuilt.stderr

    target = str(pathlib.Path(sys.argv[2]).resolve())
    sys.path.insert(0, target)
    package = __import__(name)
    assert package.DENSE_COLS == 1 and package.TASK == "spmv"
    from importlib import import_module
    library = import_module(name + "._library")
    assert pathlib.Path(library.__file__).is_relative_to(target)

    real, size = {"float32": ("f", 4), "float64": ("d", 8)}[package.DTYPE]
    # 3 x 2: [[1, 2], [0, 0], [0, 3]]
    row_ptr, col, val = array.array("i", [0, 2, 2, 3]), array.array("i", [0, 1, 1]), array.array(real, [1, 2, 3])
    at = lambda a: a.buffer_info()[0]
    handle = library.Handle(0, (3, 2), at(row_ptr), at(col), at(val))
    assert handle.device == 0 and handle.verified is False

    cuda = ctypes.CDLL("libcuda.so.1")  # The same one.
    x, y = ctypes.c_uint64(), ctypes.c_uint64()
    assert cuda.cuMemAlloc_v2(ctypes.byref(x), ctypes.c_size_t(2 * size)) == 0
    assert cuda.cuMemAlloc_v2(ctypes.byref(y), ctypes.c_size_t(3 * size)) == 0
    assert cuda.cuMemcpyHtoD_v2(x, struct.pack("2" + real, 10, 100), ctypes.c_size_t(2 * size)) == 0
    handle.run(x.value, y.value, 1, None)
    result = ctypes.create_string_buffer(3 * size)
    assert cuda.cuMemcpyDtoH_v2(result, y, ctypes.c_size_t(3 * size)) == 0
    assert struct.unpack("3" + real, result.raw) == (210.0, 0.0, 300.0), struct.unpack("3" + real, result.raw)

    def refused(work, status, words):
        try:
            work()
        except library.KernelError as error:
            assert error.status == status and words in str(error) and error.name, (error.status, str(error))
        else:
            raise AssertionError("not refused: " + words)

    refused(lambda: handle.run(x.value, y.value, 2, None), 6, "dense_cols = 1")
    refused(lambda: handle.run(0, y.value, 1, None), 1, "not null")
    refused(lambda: handle.run(x.value, x.value, 1, None), 1, "must not overlap")
    refused(lambda: handle.run(x.value + size, y.value, 1, None), 1, "multiple of 16 bytes")
    refused(lambda: library.Handle(5, (3, 2), at(row_ptr), at(col), at(val)), 3, "no GPU 5")
    wrong = array.array("i", [1, 0, 1])
    refused(lambda: library.Handle(0, (3, 2), at(row_ptr), at(wrong), at(val)), 1, "columns must ascend")

    # Host memory, new values, and what a handle holds.
    held = lambda: cuda.cuMemcpyDtoH_v2(result, y, ctypes.c_size_t(3 * size)) == 0 and struct.unpack("3" + real, result.raw)
    on_host, out = array.array(real, [10, 100]), array.array(real, [0, 0, 0])
    handle.run_host(at(on_host), at(out), 1)
    assert list(out) == [210, 0, 300], out
    refused(lambda: handle.run(at(on_host), y.value, 1, None), 1, "not an address that the GPU can reach")
    refused(lambda: handle.run_host(0, at(out), 1), 1, "not null")
    refused(lambda: handle.update_values_host(at(val), 3), 1, "call prepare_updates once before")
    refused(lambda: handle.prepare_updates(at(row_ptr), at(wrong)), 1, "not those that the handle was created with")
    assert handle.memory()["updates"] == 0

    # alpha A x + beta y: on the GPU, from the host, and with SciPy where there is one.
    if "This kernel takes both" in (bundle / "README.md").read_text():
        old = array.array(real, [1, 2, 3])
        handle.run_host(at(on_host), at(old), 1, -2, 4)
        assert list(old) == [-416, 8, -588], old
        assert cuda.cuMemcpyHtoD_v2(y, struct.pack("3" + real, 1, 2, 3), ctypes.c_size_t(3 * size)) == 0
        handle.run(x.value, y.value, 1, None, alpha=0.5, beta=-1)
        assert held() == (104.0, -2.0, 147.0), held()
        handle.run(x.value, y.value, 1, None, beta=1)
        assert held() == (314.0, -2.0, 447.0), held()
        nan = struct.pack("3" + real, *[float("nan")] * 3)
        assert cuda.cuMemcpyHtoD_v2(y, nan, ctypes.c_size_t(3 * size)) == 0
        handle.run(x.value, y.value, 1, None, alpha=3)
        assert held() == (630.0, 0.0, 900.0), held()
        try:
            import numpy
            import scipy.sparse
        except ImportError:
            print("SciPy is not here")
        else:
            operator = import_module(name + ".with_scipy").SparseOperator(
                scipy.sparse.csr_matrix(numpy.array([[1, 2], [0, 0], [0, 3]], package.DTYPE)))
            vector = numpy.array([10, 100], package.DTYPE)
            assert list(operator @ vector) == [210, 0, 300]
            assert list(operator.scaled(vector, alpha=-2, beta=4, y=numpy.array([1, 2, 3]))) == [-416, 8, -588]
            assert list(operator.scaled(vector, alpha=3)) == [630, 0, 900]
            for wrong_y in (None, numpy.zeros(2)):
                try:
                    operator.scaled(vector, beta=1, y=wrong_y)
                except ValueError:
                    pass
                else:
                    raise AssertionError("another y was not refused")
        handle.run(x.value, y.value, 1, None)
    else:
        for factors in ((2, 0), (1, 1), (float("nan"), 0), (1, float("nan"))):
            refused(lambda: handle.run(x.value, y.value, 1, None, *factors), 1, "takes no factors")
            refused(lambda: handle.run_host(at(on_host), at(out), 1, *factors), 1, "takes no factors")

    # Where the memory of the GPU does not suffice, the handle stays as it is.
    taken, block_size = [], 1 << 29
    while block_size >= 16:
        block = ctypes.c_uint64()
        if cuda.cuMemAlloc_v2(ctypes.byref(block), ctypes.c_size_t(block_size)) == 0:
            taken.append(block)
        else:
            block_size //= 2
    refused(lambda: handle.prepare_updates(at(row_ptr), at(col)), 5, "allocating memory of the GPU")
    refused(lambda: handle.update_values_host(at(val), 3), 1, "call prepare_updates once before")
    refused(lambda: handle.run_host(at(on_host), at(out), 1), 5, "allocating memory of the GPU")
    handle.run(x.value, y.value, 1, None)
    assert held() == (210.0, 0.0, 300.0), held()
    for block in taken:
        assert cuda.cuMemFree_v2(block) == 0
    handle.prepare_updates(at(row_ptr), at(col))
    handle.prepare_updates(at(row_ptr), at(col))  # Once more is no harm.
    memory = handle.memory()
    assert memory["matrix"] > 0 and memory["workspace"] == 0 and memory["updates"] > 0, memory
    values = array.array(real, [-1, 20, 3])
    handle.update_values_host(at(values), 3)
    handle.run(x.value, y.value, 1, None)
    assert held() == (1990.0, 0.0, 300.0), held()
    given = ctypes.c_uint64()
    assert cuda.cuMemAlloc_v2(ctypes.byref(given), ctypes.c_size_t(3 * size)) == 0
    assert cuda.cuMemcpyHtoD_v2(given, struct.pack("3" + real, 1, 2, 3), ctypes.c_size_t(3 * size)) == 0
    handle.update_values(given.value, 3, None)
    handle.run(x.value, y.value, 1, None)
    assert held() == (210.0, 0.0, 300.0), held()
    refused(lambda: handle.update_values(given.value, 2, None), 1, "the matrix has 3 values, not 2")
    refused(lambda: handle.update_values(at(values), 3, None), 1, "not an address that the GPU can reach")
    refused(lambda: handle.update_values(given.value + size // 2, 3, None), 1, "aligned to %d bytes" % size)
    refused(lambda: handle.update_values(0, 3, None), 1, "not null")
    assert library.fits((2,), 2) and library.fits((2, 1), 2) and not library.fits((3,), 2)


main()
