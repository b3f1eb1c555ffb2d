//! task spmv f64
//! launch k<<<ceil_div(rows, 4), 128>>>(rows, csr.row_ptr, csr.col, csr.val, x, y)
extern "C" __global__ void k(int rows, const int* p, const int* col, const double* val, const double* x, double* y) {
    int r = blockIdx.x * 4 + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (r >= rows) return;
    double s = 0;
    for (int i = p[r] + lane; i < p[r + 1]; i += 32) s += val[i] * x[col[i]];
    for (int o = 16; o > 0; o /= 2) s += __shfl_down_sync(0xffffffffu, (float)s, o);
    if (lane == 0) y[r] = s;
}
