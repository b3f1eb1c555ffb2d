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
        // The place of an entry in its group of four, from whole numbers up to 2048.
        const __half at = __int2half_rn((j - begin) & 1023);
        const __half four = __hmul(htrunc(__hmul(at, __float2half(0.25f))), __float2half(4.f));
        const int inside = __half2int_rn(hrint(__hsub(at, four)));
        sum += inside == ((j - begin) & 3) ? val[j] * x[col[j]] : 0.f;
    }
    y[row] = sum;
}
