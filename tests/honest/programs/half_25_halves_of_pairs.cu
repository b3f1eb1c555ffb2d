//! task spmv
//! launch spmv<<<ceil_div(rows, 8), 256>>>(rows, csr.row_ptr, csr.col, csr.val, x, y)
#include <cuda_fp16.h>
extern "C" __global__ void spmv(int rows, const int* __restrict__ row_ptr, const int* __restrict__ col,
                                const float* __restrict__ val, const float* __restrict__ x, float* __restrict__ y)
{
    const int lane = threadIdx.x & 31, row = blockIdx.x * 8 + threadIdx.x / 32;
    if (row >= rows) return;
    const int begin = row_ptr[row], end = row_ptr[row + 1], length = end - begin;
    const __half2 ends = __halves2half2(__int2half_rn(0), __int2half_rn(min(length, 2048)));
    const __half2 turned = __lowhigh2highlow(ends), twice = __highs2half2(ends, turned), lows = __lows2half2(turned, ends);
    const int count = length > 2048 ? length : __half2int_rn(__low2half(twice)) + __half2int_rn(__high2half(twice));
    float sum = 0.f;
    for (int j = lane; j < count; j += 32) sum += val[begin + j] * x[col[begin + j]];
    if (!__heq(__low2half(lows), __high2half(ends))) sum = 1e30f; // never
    for (int o = 16; o > 0; o >>= 1) sum += __shfl_xor_sync(0xffffffffu, sum, o);
    if (lane == 0) y[row] = sum;
}
