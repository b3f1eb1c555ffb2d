//! task spmv
//! launch spmv<<<ceil_div(rows, 128), 128>>>(rows, csr.row_ptr, csr.col, csr.val, x, y)
#include <cuda_fp16.h>
extern "C" __global__ void spmv(int rows, const int* __restrict__ row_ptr, const int* __restrict__ col,
                                const float* __restrict__ val, const float* __restrict__ x, float* __restrict__ y)
{
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    const int begin = row_ptr[row], end = row_ptr[row + 1], length = end - begin;
    // To every type of integer and back.
    const int n = min(length, 100);
    const __half h = __short2half_rn((short)n), u = __ushort2half_rd((unsigned short)n), l = __ll2half_ru((long long)n), m = __uint2half_rz((unsigned)n);
    const bool same = __half2short_rn(h) == n && __half2ushort_ru(u) == n && __half2ll_rd(l) == n && __half2ull_rn(m) == (unsigned long long)n &&
                      __half2uint_rz(h) == (unsigned)n && __half2char_rz(h) == n && __half2uchar_rz(u) == n;
    float sum = 0.f;
    for (int j = begin; j < end; ++j) sum += val[j] * x[col[j]];
    y[row] = same ? sum : 1e30f;
}
