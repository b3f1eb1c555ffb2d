# SPDX-License-Identifier: Apache-2.0
"""CuPy binding of the exported kernel: op = SparseOperator(csr_matrix); y = op(x)."""
import ctypes
import os

import cupy
import numpy

_library = ctypes.CDLL(os.environ.get(
    "SPARSERL_KERNEL", os.path.join(os.path.dirname(os.path.abspath(__file__)), "build", "libsparserl_kernel.so")))
_library.sparserl_@TASK@_error.restype = ctypes.c_char_p
_library.sparserl_@TASK@_run.argtypes = [ctypes.c_void_p] * 4
_library.sparserl_@TASK@_destroy.argtypes = [ctypes.c_void_p]
_library.sparserl_@TASK@_create.argtypes = [ctypes.POINTER(ctypes.c_void_p), ctypes.c_int, ctypes.c_int] \
    + [ctypes.c_void_p] * 3 + [ctypes.c_int]


def _check(status):
    if status != 0:
        raise RuntimeError(_library.sparserl_@TASK@_error().decode())


class SparseOperator:
    """A converted matrix. `matrix` is a scipy.sparse or cupyx.scipy.sparse CSR matrix."""

    def __init__(self, matrix, dense_cols=1):
        if hasattr(matrix, "get"):
            matrix = matrix.get()
        matrix = matrix.tocsr()
        matrix.sum_duplicates()
        matrix.sort_indices()
        self.shape = matrix.shape
        self.dense_cols = dense_cols
        row_ptr = numpy.ascontiguousarray(matrix.indptr, dtype=numpy.int32)
        col = numpy.ascontiguousarray(matrix.indices, dtype=numpy.int32)
        val = numpy.ascontiguousarray(matrix.data, dtype=numpy.float32)
        self._handle = ctypes.c_void_p()
        _check(_library.sparserl_@TASK@_create(
            ctypes.byref(self._handle), self.shape[0], self.shape[1], row_ptr.ctypes.data, col.ctypes.data,
            val.ctypes.data, dense_cols))

    def __call__(self, x):
        x = cupy.ascontiguousarray(x, dtype=cupy.float32)
        if x.size != self.shape[1] * self.dense_cols:
            raise ValueError("x must have %d x %d entries" % (self.shape[1], self.dense_cols))
        y = cupy.empty((self.shape[0],) if x.ndim == 1 else (self.shape[0], self.dense_cols), dtype=cupy.float32)
        _check(_library.sparserl_@TASK@_run(self._handle, x.data.ptr, y.data.ptr, cupy.cuda.get_current_stream().ptr))
        return y

    def __del__(self):
        if getattr(self, "_handle", None):
            _library.sparserl_@TASK@_destroy(self._handle)
            self._handle = None
