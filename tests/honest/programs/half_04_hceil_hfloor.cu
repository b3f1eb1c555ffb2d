//! task spmv
//! launch spmv<<<ceil_div(rows, 8), 256>>>(rows, csr.row_ptr, csr.col, csr.val, x, y)
#include <cuda_fp16.h>
extern "C" __global__ void spmv(int rows, const int* __restrict__ row_ptr, const int* __restrict__ col,
                                const float* __restrict__ val, const float* __restrict__ x, float* __restrict__ y)
{
    const int lane = threadIdx.x & 31, row = blockIdx.x * 8 + threadIdx.x / 32;
    if (row >= rows) return;
    const int begin = row_ptr[row], end = row_ptr[row + 1], length = end - begin;
    const __half eighth = __hmul(__int2half_rn(min(length, 1024)), __float2half(0.03125f));
    const int whole = __half2int_rz(hfloor(eighth)), all = __half2int_rn(hceil(eighth));
    const bool exact = length <= 1024;
    const int full = exact ? whole : length / 32, steps = exact ? all : (length + 31) / 32;
    float sum = 0.f;
    int j = begin + lane;
    for (int s = 0; s < full; ++s, j += 32) sum += val[j] * x[col[j]];
    if (steps > full && j < end) sum += val[j] * x[col[j]];
    for (int o = 16; o > 0; o >>= 1) sum += __shfl_xor_sync(0xffffffffu, sum, o);
    if (lane == 0) y[row] = sum;
}
