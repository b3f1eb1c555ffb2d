//! task spmm
//! launch spmm<<<ceil_div(rows, 16), dim3(8, 16)>>>(rows, dense_cols, csr.row_ptr, csr.col, csr.val, B, C)
#include <cuda_fp16.h>
// Counts of a row in half precision beside sums in single precision.
extern "C" __global__ void spmm(int rows, int n, const int* row_ptr, const int* col, const float* val, const float* B, float* C)
{
    const int r = blockIdx.x * blockDim.y + threadIdx.y;
    if (r >= rows) return;
    for (int c = threadIdx.x; c < n; c += blockDim.x) {
        float s = 0.f;
        __half k = __float2half(0.f);
        for (int j = row_ptr[r]; j < row_ptr[r + 1]; ++j) {
            s += val[j] * B[col[j] * n + c];
            k = __hmin(__hadd(k, __float2half(1.f)), __float2half(1000.f));
        }
        C[r * n + c] = __half2int_rn(k) == min(row_ptr[r + 1] - row_ptr[r], 1000) ? s : 1e30f;
    }
}
