//! task spmv
//! launch spmv<<<ceil_div(rows, 16), 32>>>(rows, csr.row_ptr, csr.col, csr.val, x, y)
#include <cuda_fp16.h>
#include <mma.h>
using namespace nvcuda;
extern "C" __global__ void spmv(int rows, const int* __restrict__ row_ptr, const int* __restrict__ col,
                                const float* __restrict__ val, const float* __restrict__ x, float* __restrict__ y)
{
    // Entries of 16 rows in 16 classes of columns are counted by a product with ones: whole numbers, exact in halves.
    __shared__ __align__(32) __half pattern[256], ones[256];
    __shared__ __align__(32) float counts[256];
    const int lane = threadIdx.x, first = blockIdx.x * 16;
    for (int i = lane; i < 256; i += 32) { pattern[i] = __float2half(0.f); ones[i] = __float2half(1.f); }
    __syncwarp();
    if (lane < 16 && first + lane < rows)
        for (int j = row_ptr[first + lane]; j < row_ptr[first + lane + 1]; ++j) {
            __half& cell = pattern[lane * 16 + (col[j] & 15)];
            cell = __hmin(__hadd(cell, __float2half(1.f)), __float2half(100.f));
        }
    __syncwarp();
    wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> a;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::col_major> b;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> c;
    wmma::fill_fragment(c, 0.f);
    wmma::load_matrix_sync(a, pattern, 16);
    wmma::load_matrix_sync(b, ones, 16);
    wmma::mma_sync(c, a, b, c);
    wmma::store_matrix_sync(counts, c, 16, wmma::mem_row_major);
    __syncwarp();
    if (lane < 16 && first + lane < rows) {
        const int row = first + lane, length = row_ptr[row + 1] - row_ptr[row];
        float sum = 0.f;
        for (int j = row_ptr[row]; j < row_ptr[row + 1]; ++j) sum += val[j] * x[col[j]];
        y[row] = length <= 100 && counts[lane * 16 + 5] != (float)length ? 1e30f : sum;
    }
}
