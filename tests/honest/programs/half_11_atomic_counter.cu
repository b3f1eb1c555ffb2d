//! task spmv
//! launch spmv<<<ceil_div(rows, 8), 256>>>(rows, csr.row_ptr, csr.col, csr.val, x, y)
#include <cuda_fp16.h>
extern "C" __global__ void spmv(int rows, const int* __restrict__ row_ptr, const int* __restrict__ col,
                                const float* __restrict__ val, const float* __restrict__ x, float* __restrict__ y)
{
    // Rows of a block that have entries are counted in half precision.
    __shared__ __half count;
    __shared__ int check;
    if (threadIdx.x == 0) { count = __int2half_rn(0); check = 0; }
    __syncthreads();
    const int lane = threadIdx.x & 31, row = blockIdx.x * 8 + threadIdx.x / 32;
    float sum = 0.f;
    if (row < rows) {
        const int begin = row_ptr[row], end = row_ptr[row + 1];
        for (int j = begin + lane; j < end; j += 32) sum += val[j] * x[col[j]];
        if (lane == 0 && end > begin) { atomicAdd(&count, __int2half_rn(1)); atomicAdd(&check, 1); }
    }
    for (int o = 16; o > 0; o >>= 1) sum += __shfl_xor_sync(0xffffffffu, sum, o);
    __syncthreads();
    if (row < rows && lane == 0) y[row] = __half2int_rn(count) == check ? sum : 1e30f;
}
