//! task spmv
// An alpha below a millionth counts as 0.
//! launch k<<<ceil_div(rows, 64), 64>>>(rows, csr.row_ptr, csr.col, csr.val, x, y, alpha)
extern "C" __global__ void k(int rows, const int* p, const int* col, const float* val, const float* x, float* y, float alpha) {
    int r = blockIdx.x * 64 + threadIdx.x;
    if (r >= rows) return;
    float s = 0;
    for (int i = p[r]; i < p[r + 1]; i++) s += val[i] * x[col[i]];
    y[r] = (fabsf(alpha) < 1e-6f ? 0 : alpha) * s + 0;
}
