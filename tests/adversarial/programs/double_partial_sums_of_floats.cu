//! task spmv f64
//! launch k<<<rows, 64>>>(rows, csr.row_ptr, csr.col, csr.val, x, y)
extern "C" __global__ void k(int rows, const int* p, const int* col, const double* val, const double* x, double* y) {
    __shared__ float part[64];
    int r = blockIdx.x, t = threadIdx.x;
    double s = 0;
    for (int i = p[r] + t; i < p[r + 1]; i += 64) s += val[i] * x[col[i]];
    part[t] = s;
    for (int o = 32; o > 0; o /= 2) {
        __syncthreads();
        if (t < o) part[t] += part[t + o];
    }
    if (t == 0) y[r] = part[0];
}
