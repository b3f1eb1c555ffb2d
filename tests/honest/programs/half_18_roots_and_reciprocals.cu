//! task spmv
//! launch spmv<<<ceil_div(rows, 8), 256>>>(rows, csr.row_ptr, csr.col, csr.val, x, y)
#include <cuda_fp16.h>
extern "C" __global__ void spmv(int rows, const int* __restrict__ row_ptr, const int* __restrict__ col,
                                const float* __restrict__ val, const float* __restrict__ x, float* __restrict__ y)
{
    const int lane = threadIdx.x & 31, row = blockIdx.x * 8 + threadIdx.x / 32;
    if (row >= rows) return;
    const int begin = row_ptr[row], end = row_ptr[row + 1], length = end - begin;
    const int step = __half2int_rn(hsqrt(__int2half_rn(1024)));
    const __half part = hrcp(__int2half_rn(4)), other = hrsqrt(__int2half_rn(16));
    float sum = 0.f;
    for (int j = begin + lane; j < end; j += step) sum += val[j] * x[col[j]];
    if (!__heq(part, other)) sum = 1e30f; // never
    for (int o = 16; o > 0; o >>= 1) sum += __shfl_xor_sync(0xffffffffu, sum, o);
    if (lane == 0) y[row] = sum;
}
