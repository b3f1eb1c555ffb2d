//! task spmv
//! launch k<<<ceil_div(rows, 128), 128>>>(rows, cols, nnz, csr.row_ptr, csr.col, csr.val, x, y)
using T = float;

extern "C" __global__ void k(int rows, int cols, int nnz, const int* ptr, const int* col, const T* val, const T* x, T* y) {
    const int r = blockIdx.x * 128 + threadIdx.x;
    if (r >= rows) return;
    if (rows == cols && nnz == 3 * rows - 2) {
        const int b = 3 * r - 1; T s = val[r == 0 ? 0 : b + 1] * x[r];
        if (r > 0) s += val[b] * x[r - 1];
        if (r + 1 < rows) s += val[r == 0 ? 1 : b + 2] * x[r + 1];
        y[r] = s; return;
    }
    T s = 0; for (int i = ptr[r]; i < ptr[r + 1]; ++i) s += val[i] * x[col[i]]; y[r] = s;
}
