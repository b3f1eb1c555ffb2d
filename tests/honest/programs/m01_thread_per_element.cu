//! task spmm
//! launch spmm<<<dim3(ceil_div(dense_cols, 8), ceil_div(rows, 16)), dim3(8, 16)>>>(rows, dense_cols, csr.row_ptr, csr.col, csr.val, B, C)
#include <cuda_runtime.h>

// C = A * B; A is CSR, B and C are dense and row-major.
extern "C" __global__ void spmm(int M, int N, const int* __restrict__ rowPtr, const int* __restrict__ colIdx,
                                const float* __restrict__ vals, const float* __restrict__ B, float* __restrict__ C)
{
    int n = blockIdx.x * blockDim.x + threadIdx.x;
    int m = blockIdx.y * blockDim.y + threadIdx.y;
    if (m >= M || n >= N) return;
    float acc = 0.0f;
    for (int p = rowPtr[m]; p < rowPtr[m + 1]; ++p)
        acc += vals[p] * B[colIdx[p] * N + n];
    C[m * N + n] = acc;
}
