//! task spmm
//! launch spmm<<<ceil_div(rows, 16), dim3(32, 4)>>>(rows, dense_cols, csr.row_ptr, csr.col, csr.val, B, C)
#include <mma.h>
using namespace nvcuda;
// Each warp clears its tile with an accumulator, sums four rows in it and writes them.
extern "C" __global__ void spmm(int rows, int n, const int* row_ptr, const int* col, const float* val, const float* B, float* C)
{
    __shared__ __align__(32) float tiles[4][16 * 16];
    float* const tile = tiles[threadIdx.y];
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> zero;
    wmma::fill_fragment(zero, 0.f);
    for (int base = 0; base < n; base += 16) {
        wmma::store_matrix_sync(tile, zero, 16, wmma::mem_row_major);
        __syncwarp();
        for (int i = 0; i < 4; ++i) {
            const int r = blockIdx.x * 16 + threadIdx.y * 4 + i, c = base + threadIdx.x;
            if (r < rows && threadIdx.x < 16 && c < n) {
                for (int j = row_ptr[r]; j < row_ptr[r + 1]; ++j) tile[i * 16 + threadIdx.x] += val[j] * B[col[j] * n + c];
                C[r * n + c] = tile[i * 16 + threadIdx.x];
            }
        }
        __syncwarp();
    }
}
