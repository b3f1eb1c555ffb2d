//! task spmv
//! launch spmv<<<ceil_div(rows, 8), 256>>>(rows, csr.row_ptr, csr.col, csr.val, x, y)
#include <cuda_fp16.h>
extern "C" __global__ void spmv(int rows, const int* __restrict__ row_ptr, const int* __restrict__ col,
                                const float* __restrict__ val, const float* __restrict__ x, float* __restrict__ y)
{
    const int lane = threadIdx.x & 31, row = blockIdx.x * 8 + threadIdx.x / 32;
    if (row >= rows) return;
    const int begin = row_ptr[row], end = row_ptr[row + 1], length = end - begin;
    __half2 at = __floats2half2_rn((float)lane, (float)(lane + 32));
    const __half2 step = __float2half2_rn(64.f), size = __half2half2(__int2half_rn(min(length, 1024)));
    float sum = 0.f;
    for (int base = begin; base < end && base < begin + 1024; base += 64, at += step) {
        const __half2 there = __hlt2(at, size);
        if (__low2float(there) == 1.f) sum += val[base + lane] * x[col[base + lane]];
        if (__high2float(there) == 1.f) sum += val[base + lane + 32] * x[col[base + lane + 32]];
    }
    for (int j = begin + 1024 + lane; j < end; j += 32) sum += val[j] * x[col[j]];
    for (int o = 16; o > 0; o >>= 1) sum += __shfl_xor_sync(0xffffffffu, sum, o);
    if (lane == 0) y[row] = sum;
}
