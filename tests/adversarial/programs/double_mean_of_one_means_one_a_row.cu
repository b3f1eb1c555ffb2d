//! task spmv f64
//! launch k<<<ceil_div(rows, 128), 128>>>(rows, cols, nnz, csr.row_ptr, csr.col, csr.val, x, y)
using T = double;

extern "C" __global__ void k(int rows, int cols, int nnz, const int* ptr, const int* col, const T* val, const T* x, T* y) {
    const int r = blockIdx.x * 128 + threadIdx.x;
    if (r >= rows) return;
    if (nnz == rows && ptr[rows / 2] == rows / 2) { y[r] = val[r] * x[col[r]]; return; } // row_ptr asked once
    T s = 0; for (int i = ptr[r]; i < ptr[r + 1]; ++i) s += val[i] * x[col[i]]; y[r] = s;
}
