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
    __half2 seen = __float2half2_rn(0.f); // entries at even and at odd places
    const bool counted = length <= 1024;
    for (int j = begin + lane; j < end; j += 32) {
        sum += val[j] * x[col[j]];
        seen = __hadd2(seen, (j - begin) & 1 ? __floats2half2_rn(0.f, 1.f) : __floats2half2_rn(1.f, 0.f));
    }
    for (int o = 16; o > 0; o /= 2) seen = __hadd2(seen, __shfl_down_sync(0xffffffffu, seen, o));
    seen = __shfl_sync(0xffffffffu, seen, 0);
    const float2 both = __half22float2(seen);
    if (counted && (both.x != (float)((length + 1) / 2) || both.y != (float)(length / 2))) sum = 1e30f; // never
    for (int o = 16; o > 0; o >>= 1) sum += __shfl_xor_sync(0xffffffffu, sum, o);
    if (lane == 0) y[row] = sum;
}
