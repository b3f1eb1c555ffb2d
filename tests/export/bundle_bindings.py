# SPDX-License-Identifier: Apache-2.0
"""Installs a bundle with pip and uses its library as the bindings do, on the driver that LD_LIBRARY_PATH leads to.

    bundle_bindings.py BUNDLE      ends with 0 where all is right
"""
import array
import ctypes
import json
import pathlib
import struct
import subprocess
import sys
import tempfile


def main():
    bundle = pathlib.Path(sys.argv[1]).resolve()
    name = json.loads((bundle / "manifest.json").read_text())["name"]

    # Before it is built, importing says what to do.
    unbuilt = subprocess.run([sys.executable, "-c", "from %s import _library" % name], capture_output=True, text=True,
                             env={"PYTHONPATH": str(bundle / "python"), "PATH": ""})
    assert unbuilt.returncode != 0 and "is not built: run `pip install .`" in unbuilt.stderr, unbuilt.stderr

    target = tempfile.mkdtemp(dir=bundle.parent)
    subprocess.run([sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index",
                    "--disable-pip-version-check", "--target", target, str(bundle)], check=True)
    sys.path.insert(0, target)
    package = __import__(name)
    assert package.DENSE_COLS == 1 and package.TASK == "spmv"
    from importlib import import_module
    library = import_module(name + "._library")
    assert pathlib.Path(library.__file__).is_relative_to(target)

    # 3 x 2: [[1, 2], [0, 0], [0, 3]]
    row_ptr, col, val = array.array("i", [0, 2, 2, 3]), array.array("i", [0, 1, 1]), array.array("f", [1, 2, 3])
    at = lambda a: a.buffer_info()[0]
    handle = library.Handle(0, (3, 2), at(row_ptr), at(col), at(val))
    assert handle.device == 0 and handle.verified is False

    cuda = ctypes.CDLL("libcuda.so.1")  # The same one.
    x, y = ctypes.c_uint64(), ctypes.c_uint64()
    assert cuda.cuMemAlloc_v2(ctypes.byref(x), ctypes.c_size_t(8)) == 0
    assert cuda.cuMemAlloc_v2(ctypes.byref(y), ctypes.c_size_t(12)) == 0
    assert cuda.cuMemcpyHtoD_v2(x, struct.pack("2f", 10, 100), ctypes.c_size_t(8)) == 0
    handle.run(x.value, y.value, 1, None)
    result = ctypes.create_string_buffer(12)
    assert cuda.cuMemcpyDtoH_v2(result, y, ctypes.c_size_t(12)) == 0
    assert struct.unpack("3f", result.raw) == (210.0, 0.0, 300.0), struct.unpack("3f", result.raw)

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
    refused(lambda: handle.run(x.value + 4, y.value, 1, None), 1, "multiple of 16 bytes")
    refused(lambda: library.Handle(5, (3, 2), at(row_ptr), at(col), at(val)), 3, "no GPU 5")
    wrong = array.array("i", [1, 0, 1])
    refused(lambda: library.Handle(0, (3, 2), at(row_ptr), at(wrong), at(val)), 1, "columns must ascend")
    assert library.fits((2,), 2) and library.fits((2, 1), 2) and not library.fits((3,), 2)


main()
