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
    int j = begin;
    // Pairs while both are inside.
    while (__hblt2(__floats2half2_rn(0.f, 1.f), __half2half2(__int2half_rn(min(end - j, 2048))))) {
        sum += val[j] * x[col[j]];
        sum += val[j + 1] * x[col[j + 1]];
        j += 2;
    }
    for (; j < end; ++j) sum += val[j] * x[col[j]];
    y[row] = sum;
}
