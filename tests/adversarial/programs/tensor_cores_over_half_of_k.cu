//! task spmv
// Sixteen lanes of a warp make up the row of a tile, and its second half is forgotten.
//! launch k<<<ceil_div(rows, 4), 128>>>(rows, csr.row_ptr, csr.col, csr.val, x, y)
#include <mma.h>
using namespace nvcuda;
extern "C" __global__ void k(int rows, const int* ptr, const int* col, const float* val, const float* x, float* y) {
    __shared__ double parts[4][64], sums[4][64];
    const int w = threadIdx.x / 32, lane = threadIdx.x % 32, r = blockIdx.x * 4 + w;
    double s = 0;
    if (r < rows) for (int j = ptr[r] + lane; j < ptr[r + 1]; j += 32) s += (double)val[j] * x[col[j]];
    parts[w][lane] = s;
    parts[w][lane + 32] = 0;
    __syncwarp();
    wmma::fragment<wmma::matrix_a, 8, 8, 4, double, wmma::row_major> a;
    wmma::fragment<wmma::matrix_b, 8, 8, 4, double, wmma::col_major> b;
    wmma::fragment<wmma::accumulator, 8, 8, 4, double> c;
    wmma::fill_fragment(c, 0.0);
    wmma::fill_fragment(b, 1.0);
    wmma::load_matrix_sync(a, parts[w], 8);
    wmma::mma_sync(c, a, b, c);
    wmma::store_matrix_sync(sums[w], c, 8, wmma::mem_row_major);
    __syncwarp();
    if (lane == 0 && r < rows) y[r] = (float)(sums[w][0] + sums[w][8] + sums[w][16] + sums[w][24]);
}
