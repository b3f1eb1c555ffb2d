//! task spmv
//! launch spmv<<<ceil_div(rows, 8), 256>>>(rows, csr.row_ptr, csr.col, csr.val, x, y)
#include <cuda_fp16.h>
// A value is two halves and what is left: exact wherever halves reach.
__device__ float product(float v, float b)
{
    if (!(fabsf(v) < 60000.f) || fabsf(v) < 0.001f) return v * b;
    const __half high = __float2half_rn(v);
    const float rest = v - __half2float(high); // exact
    return fmaf(rest, b, __half2float(high) * b);
}
extern "C" __global__ void spmv(int rows, const int* __restrict__ row_ptr, const int* __restrict__ col,
                                const float* __restrict__ val, const float* __restrict__ x, float* __restrict__ y)
{
    const int lane = threadIdx.x & 31, row = blockIdx.x * 8 + threadIdx.x / 32;
    if (row >= rows) return;
    const int begin = row_ptr[row], end = row_ptr[row + 1], length = end - begin;
    float sum = 0.f;
    for (int j = begin + lane; j < end; j += 32) sum += product(val[j], x[col[j]]);
    for (int o = 16; o > 0; o >>= 1) sum += __shfl_xor_sync(0xffffffffu, sum, o);
    if (lane == 0) y[row] = sum;
}
