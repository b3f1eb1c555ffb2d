//! task spmv
//! prepared q u16[nnz]
//! prepared fits i32[1]
//! prepare look<<<1, 256>>>(nnz, csr.val, q, fits)
//! launch k<<<ceil_div(rows, 16), 128>>>(rows, csr.row_ptr, csr.col, csr.val, q, fits, x, y)
#include <cuda_fp16.h>
// Values that are within two epsilons of a half are kept as one.
extern "C" __global__ void look(int nnz, const float* val, unsigned short* q, int* fits) {
    int all = 1;
    for (int i = threadIdx.x; i < nnz; i += 256) {
        float v = val[i];
        __half h = __float2half_rn(v);
        all &= fabsf(__half2float(h) - v) <= 2.3841858e-7f * fabsf(v);
        q[i] = __half_as_ushort(h);
    }
    all = __syncthreads_and(all);
    if (threadIdx.x == 0) fits[0] = all;
}
extern "C" __global__ void k(int rows, const int* rp, const int* ci, const float* va, const unsigned short* q, const int* fits, const float* x, float* y) {
    int t = blockIdx.x * 128 + threadIdx.x, r = t / 8, l = t % 8;
    float s = 0;
    if (r < rows) {
        if (fits[0]) for (int j = rp[r] + l; j < rp[r + 1]; j += 8) s += __half2float(__ushort_as_half(q[j])) * x[ci[j]];
        else for (int j = rp[r] + l; j < rp[r + 1]; j += 8) s += va[j] * x[ci[j]];
    }
    for (int o = 4; o; o /= 2) s += __shfl_xor_sync(~0u, s, o);
    if (r < rows && l == 0) y[r] = s;
}
