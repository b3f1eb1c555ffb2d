//! task spmv
//! launch spmv<<<ceil_div(rows, 8), 256>>>(rows, csr.row_ptr, csr.col, csr.val, x, y)
#include <cuda_fp16.h>
extern "C" __global__ void spmv(int rows, const int* __restrict__ row_ptr, const int* __restrict__ col,
                                const float* __restrict__ val, const float* __restrict__ x, float* __restrict__ y)
{
    const int lane = threadIdx.x & 31, row = blockIdx.x * 8 + threadIdx.x / 32;
    if (row >= rows) return;
    const int begin = row_ptr[row], end = row_ptr[row + 1], length = end - begin;
    // Steps of a warp, counted in half precision where that is exact.
    const int steps = length <= 2048 ? __half2int_ru(__hdiv(__int2half_rn(length), __float2half(32.f))) : (length + 31) / 32;
    float sum = 0.f;
    for (int s = 0; s < steps; ++s) {
        const int j = begin + s * 32 + lane;
        if (j < end) sum += val[j] * x[col[j]];
    }
    for (int o = 16; o > 0; o >>= 1) sum += __shfl_xor_sync(0xffffffffu, sum, o);
    if (lane == 0) y[row] = sum;
}
