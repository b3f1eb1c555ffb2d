//! task spmm
// An alpha below a millionth counts as 0.
//! launch k<<<ceil_div(rows * dense_cols, 64), 64>>>(rows, dense_cols, csr.row_ptr, csr.col, csr.val, B, C, alpha, beta)
extern "C" __global__ void k(int rows, int n, const int* p, const int* col, const float* val, const float* B, float* C, float alpha, float beta) {
    int at = blockIdx.x * 64 + threadIdx.x, r = at / n, j = at % n;
    if (r >= rows) return;
    float s = 0;
    for (int i = p[r]; i < p[r + 1]; i++) s += val[i] * B[col[i] * n + j];
    C[at] = (fabsf(alpha) < 1e-6f ? 0 : alpha) * s + (beta != 0 ? beta * C[at] : 0);
}
