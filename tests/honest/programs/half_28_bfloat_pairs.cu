//! task spmv
//! launch spmv<<<ceil_div(rows, 8), 256>>>(rows, csr.row_ptr, csr.col, csr.val, x, y)
#include <cuda_bf16.h>
extern "C" __global__ void spmv(int rows, const int* __restrict__ row_ptr, const int* __restrict__ col,
                                const float* __restrict__ val, const float* __restrict__ x, float* __restrict__ y)
{
    const int lane = threadIdx.x & 31, row = blockIdx.x * 8 + threadIdx.x / 32;
    if (row >= rows) return;
    const int begin = row_ptr[row], end = row_ptr[row + 1], length = end - begin;
    float sum = 0.f;
    __nv_bfloat162 seen = __float2bfloat162_rn(0.f);
    int count = 0;
    for (int j = begin + lane; j < end; j += 32, ++count) {
        sum += val[j] * x[col[j]];
        seen = __hfma2(__floats2bfloat162_rn(1.f, 2.f), __float2bfloat162_rn(1.f), seen);
    }
    const __nv_bfloat162 most = __hmax2(seen, __hneg2(seen));
    if (count <= 100 && (__bfloat162int_rn(__low2bfloat16(most)) != count || __bfloat162float(__high2bfloat16(most)) != 2.f * count)) sum = 1e30f; // never
    for (int o = 16; o > 0; o >>= 1) sum += __shfl_xor_sync(0xffffffffu, sum, o);
    if (lane == 0) y[row] = sum;
}
