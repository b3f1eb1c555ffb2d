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
        // The sign of a value, by its half: products are of sizes.
        const float v = val[j];
        const __half sign = __hgt(__float2half_rn(v), __float2half_rn(0.f)) ? __float2half_rn(1.f) : __hneg(__float2half_rn(1.f));
        const bool tiny = __hisinf(__float2half_rn(v)) || fabsf(v) < 1e-4f;
        const float size = __half2float(__habs(sign)) * fabsf(v);
        sum += tiny ? v * x[col[j]] : __half2float(sign) * size * x[col[j]];
    }
    y[row] = sum;
}
