//! task spmv
//! prepared flag i32[1]
//! prepared pk u16[nnz]
//! prepare init<<<1, 1>>>(flag)
//! prepare pack<<<ceil_div(nnz, 256), 256>>>(nnz, csr.val, pk, flag)
//! launch spmv<<<ceil_div(rows, 16), 128>>>(rows, csr.row_ptr, csr.col, csr.val, pk, flag, x, y)
// Subnormal halves have fewer digits.
#include <cuda_fp16.h>
extern "C" __global__ void init(int* flag) { *flag = 1; }
extern "C" __global__ void pack(int nnz, const float* val, unsigned short* pk, int* flag) {
    int i = blockIdx.x * 256 + threadIdx.x;
    if (i >= nnz) return;
    float v = val[i];
    pk[i] = __half_as_ushort(__float2half_rn(v));
    if (!(fabsf(v) < 65504.f && (fabsf(v) > 1e-7f || v == 0.f) && (__float_as_uint(v) & 0x1fff) == 0)) atomicAnd(flag, 0);
}
extern "C" __global__ void spmv(int rows, const int* ptr, const int* col, const float* val, const unsigned short* pk, const int* flag, const float* x, float* y) {
    int r = blockIdx.x * 16 + threadIdx.x / 8, l = threadIdx.x % 8;
    float s = 0;
    if (r < rows) {
        if (*flag) for (int k = ptr[r] + l; k < ptr[r + 1]; k += 8) s += __half2float(__ushort_as_half(pk[k])) * x[col[k]];
        else for (int k = ptr[r] + l; k < ptr[r + 1]; k += 8) s += val[k] * x[col[k]];
    }
    for (int d = 4; d; d >>= 1) s += __shfl_down_sync(~0u, s, d, 8);
    if (l == 0 && r < rows) y[r] = s;
}
