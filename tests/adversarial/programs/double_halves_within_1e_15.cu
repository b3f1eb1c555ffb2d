//! task spmv f64
//! prepared q u16[nnz]
//! prepared fits i32[1]
//! prepare look<<<1, 256>>>(nnz, csr.val, q, fits)
//! launch k<<<ceil_div(rows, 16), 128>>>(rows, csr.row_ptr, csr.col, csr.val, q, fits, x, y)
#include <cuda_fp16.h>
// Values that are within 1e-15 of a half are kept as one.
extern "C" __global__ void look(int nnz, const double* val, unsigned short* q, int* fits) {
    int all = 1;
    for (int i = threadIdx.x; i < nnz; i += 256) {
        double v = val[i];
        __half h = __double2half(v);
        all &= fabs((double)__half2float(h) - v) <= 1e-15 * fabs(v);
        q[i] = __half_as_ushort(h);
    }
    all = __syncthreads_and(all);
    if (threadIdx.x == 0) fits[0] = all;
}
extern "C" __global__ void k(int rows, const int* rp, const int* ci, const double* va, const unsigned short* q, const int* fits, const double* x, double* y) {
    int t = blockIdx.x * 128 + threadIdx.x, r = t / 8, l = t % 8;
    double s = 0;
    if (r < rows) {
        if (fits[0]) for (int j = rp[r] + l; j < rp[r + 1]; j += 8) s += (double)__half2float(__ushort_as_half(q[j])) * x[ci[j]];
        else for (int j = rp[r] + l; j < rp[r + 1]; j += 8) s += va[j] * x[ci[j]];
    }
    for (int o = 4; o; o /= 2) s += __shfl_xor_sync(~0u, s, o);
    if (r < rows && l == 0) y[r] = s;
}
