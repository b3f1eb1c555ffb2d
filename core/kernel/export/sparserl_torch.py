# SPDX-License-Identifier: Apache-2.0
"""PyTorch binding of the exported kernel: op = SparseOperator(csr_tensor); y = op(x)."""
import ctypes
import os

import torch

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
    """A converted matrix. `matrix` is a torch.sparse_csr tensor; `dense_cols` counts the columns of x (SpMM)."""

    def __init__(self, matrix, dense_cols=1):
        self.shape = tuple(matrix.shape)
        self.dense_cols = dense_cols
        row_ptr = matrix.crow_indices().to("cpu", torch.int32).contiguous()
        col = matrix.col_indices().to("cpu", torch.int32).contiguous()
        val = matrix.values().to("cpu", torch.float32).contiguous()
        self._handle = ctypes.c_void_p()
        _check(_library.sparserl_@TASK@_create(
            ctypes.byref(self._handle), self.shape[0], self.shape[1], row_ptr.data_ptr(), col.data_ptr(),
            val.data_ptr(), dense_cols))

    def __call__(self, x):
        if not x.is_cuda or x.dtype != torch.float32 or x.numel() != self.shape[1] * self.dense_cols:
            raise ValueError("x must be a float32 CUDA tensor of %d x %d" % (self.shape[1], self.dense_cols))
        x = x.contiguous()
        shape = (self.shape[0],) if x.dim() == 1 else (self.shape[0], self.dense_cols)
        y = torch.empty(shape, dtype=torch.float32, device=x.device)
        stream = torch.cuda.current_stream(x.device).cuda_stream
        _check(_library.sparserl_@TASK@_run(self._handle, x.data_ptr(), y.data_ptr(), stream))
        return y

    def __del__(self):
        if getattr(self, "_handle", None):
            _library.sparserl_@TASK@_destroy(self._handle)
            self._handle = None
