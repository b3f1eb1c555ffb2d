//! task spmv
//! launch spmv<<<ceil_div(rows, 8), 256>>>(rows, csr.row_ptr, csr.col, csr.val, x, y)
#include <cuda_fp16.h>
extern "C" __global__ void spmv(int rows, const int* __restrict__ row_ptr, const int* __restrict__ col,
                                const float* __restrict__ val, const float* __restrict__ x, float* __restrict__ y)
{
    const int lane = threadIdx.x & 31, row = blockIdx.x * 8 + threadIdx.x / 32;
    if (row >= rows) return;
    const int begin = row_ptr[row], end = row_ptr[row + 1], length = end - begin;
    const __half size = __int2half_rn(min(length, 2000)), warp = __int2half_rn(32);
    float sum = 0.f;
    if (__hle(size, warp)) { // one entry a lane
        if (__hlt(__int2half_rn(lane), size)) sum = val[begin + lane] * x[col[begin + lane]];
    } else if (__hge(size, __int2half_rn(33)) && __hne(size, warp) && !__heq(size, warp) && __hgt(size, warp)) {
        for (int j = begin + lane; j < end; j += 32) sum += val[j] * x[col[j]];
    }
    for (int o = 16; o > 0; o >>= 1) sum += __shfl_xor_sync(0xffffffffu, sum, o);
    if (lane == 0) y[row] = sum;
}
