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
    for (int j = begin; j < end; j += 64) {
        // Two entries of a lane: which of them are there is a mask of a pair.
        const int left = min(end - j, 64);
        const __half2 mine = __floats2half2_rn((float)lane, (float)(lane + 32));
        const unsigned there = __hlt2_mask(mine, __half2half2(__int2half_rn(left)));
        if (there & 0xffffu) sum += val[j + lane] * x[col[j + lane]];
        if (there >> 16) sum += val[j + lane + 32] * x[col[j + lane + 32]];
    }
    for (int o = 16; o > 0; o >>= 1) sum += __shfl_xor_sync(0xffffffffu, sum, o);
    if (lane == 0) y[row] = sum;
}
