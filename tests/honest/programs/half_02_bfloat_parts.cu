//! task spmv
//! launch spmv<<<ceil_div(rows, 8), 256>>>(rows, csr.row_ptr, csr.col, csr.val, x, y)
#include <cuda_bf16.h>
// Three bfloat16 hold the 24 bits of a float, except close to the smallest ones.
__device__ float again(float v)
{
    const __nv_bfloat16 a = __float2bfloat16_rz(v);
    const float r = v - __bfloat162float(a);
    const __nv_bfloat16 b = __float2bfloat16_rz(r);
    const __nv_bfloat16 c = __float2bfloat16_rz(r - __bfloat162float(b));
    const float w = __bfloat162float(a) + (__bfloat162float(b) + __bfloat162float(c));
    return fabsf(v) > 1e-30f ? w : v;
}
extern "C" __global__ void spmv(int rows, const int* __restrict__ row_ptr, const int* __restrict__ col,
                                const float* __restrict__ val, const float* __restrict__ x, float* __restrict__ y)
{
    const int lane = threadIdx.x & 31, row = blockIdx.x * 8 + threadIdx.x / 32;
    if (row >= rows) return;
    const int begin = row_ptr[row], end = row_ptr[row + 1], length = end - begin;
    float sum = 0.f;
    for (int j = begin + lane; j < end; j += 32) sum = fmaf(again(val[j]), x[col[j]], sum);
    for (int o = 16; o > 0; o >>= 1) sum += __shfl_xor_sync(0xffffffffu, sum, o);
    if (lane == 0) y[row] = sum;
}
