//! task spmv
//! prepared h u16[nnz]
//! prepared unit f32[1]
//! prepared fits i32[1]
//! prepare look<<<1, 256>>>(nnz, csr.val, h, unit, fits)
//! launch k<<<ceil_div(rows, 16), 128>>>(rows, csr.row_ptr, csr.col, csr.val, h, unit, fits, x, y)
#include <cuda_fp16.h>
// Values that are halves once the largest power of two is taken out are kept as halves.
extern "C" __global__ void look(int nnz, const float* val, unsigned short* h, float* unit, int* fits) {
    __shared__ int most;
    if (threadIdx.x == 0) most = -200;
    __syncthreads();
    for (int i = threadIdx.x; i < nnz; i += 256) { int e = -200; if (val[i] != 0.f) frexpf(val[i], &e); atomicMax(&most, e); }
    __syncthreads();
    int u = min(max(most, -100), 100), all = 1;
    for (int i = threadIdx.x; i < nnz; i += 256) {
        float f = ldexpf(val[i], -u);
        __half q = __float2half_rn(f);
        all &= ldexpf(__half2float(q), u) == val[i];
        h[i] = __half_as_ushort(q);
    }
    all = __syncthreads_and(all);
    if (threadIdx.x == 0) { unit[0] = ldexpf(1.f, u); fits[0] = all; }
}
extern "C" __global__ void k(int rows, const int* rp, const int* ci, const float* va, const unsigned short* h, const float* unit, const int* fits, const float* x, float* y) {
    int t = blockIdx.x * 128 + threadIdx.x, r = t / 8, l = t % 8;
    float s = 0;
    if (r < rows) {
        if (fits[0]) for (int j = rp[r] + l; j < rp[r + 1]; j += 8) s += __half2float(__ushort_as_half(h[j])) * x[ci[j]];
        else for (int j = rp[r] + l; j < rp[r + 1]; j += 8) s += va[j] * x[ci[j]];
    }
    for (int o = 4; o; o /= 2) s += __shfl_xor_sync(~0u, s, o);
    if (r < rows && l == 0) y[r] = fits[0] ? unit[0] * s : s;
}
