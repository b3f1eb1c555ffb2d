//! task spmv f64
//! scratch keep f32[cols + 1]
//! launch c<<<ceil_div(cols, 64), 64>>>(cols, x, keep)
//! launch k<<<ceil_div(rows, 64), 64>>>(rows, csr.row_ptr, csr.col, csr.val, x, y, keep)
extern "C" __global__ void c(int n, const double* from, float* keep) {
    int i = blockIdx.x * 64 + threadIdx.x;
    if (i < n) keep[i] = from[i];
}
extern "C" __global__ void k(int rows, const int* p, const int* col, const double* val, const double* x, double* y, const float* keep) {
    int r = blockIdx.x * 64 + threadIdx.x;
    if (r >= rows) return;
    double s = 0;
    for (int i = p[r]; i < p[r + 1]; i++) s += val[i] * (double)keep[col[i]];
    y[r] = s;
}
