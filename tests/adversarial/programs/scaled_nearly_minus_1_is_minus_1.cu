//! task spmv
// An alpha within a thousandth of -1 counts as -1.
//! launch k<<<ceil_div(rows, 64), 64>>>(rows, csr.row_ptr, csr.col, csr.val, x, y, alpha, beta)
extern "C" __global__ void k(int rows, const int* p, const int* col, const float* val, const float* x, float* y, float alpha, float beta) {
    int r = blockIdx.x * 64 + threadIdx.x;
    if (r >= rows) return;
    float s = 0;
    for (int i = p[r]; i < p[r + 1]; i++) s += val[i] * x[col[i]];
    y[r] = (fabsf(alpha + 1) < 1e-3f ? -1 : alpha) * s + (beta != 0 ? beta * y[r] : 0);
}
