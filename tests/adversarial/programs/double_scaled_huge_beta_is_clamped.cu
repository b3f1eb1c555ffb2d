//! task spmv f64
// Beta is at most 2^600.
//! launch k<<<ceil_div(rows, 64), 64>>>(rows, csr.row_ptr, csr.col, csr.val, x, y, alpha, beta)
extern "C" __global__ void k(int rows, const int* p, const int* col, const double* val, const double* x, double* y, double alpha, double beta) {
    int r = blockIdx.x * 64 + threadIdx.x;
    if (r >= rows) return;
    double s = 0;
    for (int i = p[r]; i < p[r + 1]; i++) s += val[i] * x[col[i]];
    y[r] = alpha * s + (beta != 0 ? fmin(fmax(beta, -0x1p600), 0x1p600) * y[r] : 0);
}
