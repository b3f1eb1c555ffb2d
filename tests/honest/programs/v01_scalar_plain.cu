//! task spmv
//! launch spmv_csr_scalar<<<ceil_div(rows, 256), 256>>>(rows, csr.row_ptr, csr.col, csr.val, x, y)
#include <cuda_runtime.h>

// One thread computes one row of y = A * x.
extern "C" __global__ void spmv_csr_scalar(int num_rows,
                                           const int* __restrict__ row_ptr,
                                           const int* __restrict__ col_idx,
                                           const float* __restrict__ values,
                                           const float* __restrict__ x,
                                           float* __restrict__ y)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < num_rows) {
        float sum = 0.0f;
        int row_start = row_ptr[row];
        int row_end   = row_ptr[row + 1];
        for (int j = row_start; j < row_end; j++) {
            sum += values[j] * x[col_idx[j]];
        }
        y[row] = sum;
    }
}
