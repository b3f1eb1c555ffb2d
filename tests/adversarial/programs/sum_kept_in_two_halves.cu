//! task spmv
// A sum of 11 bits and its rest of 11 bits.
//! launch k<<<ceil_div(rows, 128), 128>>>(rows, csr.row_ptr, csr.col, csr.val, x, y)
#include <cuda_fp16.h>
extern "C" __global__ void k(int rows, const int* ptr, const int* col, const float* val, const float* x, float* y) {
    int r = blockIdx.x * 128 + threadIdx.x;
    if (r >= rows) return;
    float s = 0;
    __half high = __float2half(0), low = high;
    for (int j = ptr[r]; j < ptr[r + 1]; ++j) { const float a = val[j], b = x[col[j]]; const float t = __half2float(high) + __half2float(low) + a * b;
        high = __float2half(t);
        low = __float2half(t - __half2float(high));
        s = __half2float(high) + __half2float(low); }
    y[r] = s;
}
