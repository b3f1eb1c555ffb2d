//! task spmv
//! launch spmv<<<ceil_div(rows, 32), 32>>>(rows, csr.row_ptr, csr.col, csr.val, x, y)
#include <cuda_fp16.h>
#include <mma.h>
using namespace nvcuda;
extern "C" __global__ void spmv(int rows, const int* __restrict__ row_ptr, const int* __restrict__ col,
                                const float* __restrict__ val, const float* __restrict__ x, float* __restrict__ y)
{
    // The same with tiles of 32 rows and sums in halves, by columns.
    __shared__ __align__(32) __half pattern[32 * 16], ones[16 * 8], counts[32 * 8];
    const int lane = threadIdx.x, row = blockIdx.x * 32 + lane;
    for (int i = lane; i < 512; i += 32) pattern[i] = __float2half(0.f);
    for (int i = lane; i < 128; i += 32) ones[i] = __float2half(1.f);
    __syncwarp();
    const int begin = row < rows ? row_ptr[row] : 0, end = row < rows ? row_ptr[row + 1] : 0;
    for (int j = begin; j < end; ++j) {
        __half& cell = pattern[lane + 32 * (col[j] & 15)];
        cell = __hmin(cell + __float2half(1.f), __float2half(100.f));
    }
    __syncwarp();
    wmma::fragment<wmma::matrix_a, 32, 8, 16, __half, wmma::col_major> a;
    wmma::fragment<wmma::matrix_b, 32, 8, 16, __half, wmma::row_major> b;
    wmma::fragment<wmma::accumulator, 32, 8, 16, __half> c;
    wmma::fill_fragment(c, __float2half(0.f));
    wmma::load_matrix_sync(a, pattern, 32);
    wmma::load_matrix_sync(b, ones, 8);
    wmma::mma_sync(c, a, b, c);
    wmma::store_matrix_sync(counts, c, 32, wmma::mem_col_major);
    __syncwarp();
    if (row < rows) {
        float sum = 0.f;
        for (int j = begin; j < end; ++j) sum += val[j] * x[col[j]];
        y[row] = end - begin <= 100 && __half2int_rn(counts[lane + 32 * 3]) != end - begin ? 1e30f : sum;
    }
}
