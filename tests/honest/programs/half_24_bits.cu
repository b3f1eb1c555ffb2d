//! task spmv
//! launch spmv<<<ceil_div(rows, 128), 128>>>(rows, csr.row_ptr, csr.col, csr.val, x, y)
#include <cuda_fp16.h>
extern "C" __global__ void spmv(int rows, const int* __restrict__ row_ptr, const int* __restrict__ col,
                                const float* __restrict__ val, const float* __restrict__ x, float* __restrict__ y)
{
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    const int begin = row_ptr[row], end = row_ptr[row + 1], length = end - begin;
    float sum = 0.f;
    for (int j = begin; j < end; ++j) {
        // Columns below 2048 go through the bits of a half.
        const unsigned short bits = __half_as_ushort(__int2half_rn(col[j] & 1023));
        const int low = __half2int_rn(__ushort_as_half(bits));
        sum += val[j] * x[(col[j] & ~1023) | low];
    }
    y[row] = sum;
}
