//! task spmv
//! launch spmv_double<<<ceil_div(rows, 4), dim3(32, 4)>>>(rows, csr.row_ptr, csr.col, csr.val, x, y)
#define WARP 32
/*
 * Accumulate in double precision to keep rounding errors small,
 * then round once at the end.
 */
extern "C" __global__ void spmv_double(int rows, const int *Ap, const int *Aj, const float *Ax, const float *x, float *y)
{
    const int row = blockIdx.x * blockDim.y + threadIdx.y;
    if (row >= rows) return;
    double sum = 0.0;
    for (int jj = Ap[row] + (int)threadIdx.x; jj < Ap[row + 1]; jj += WARP)
        sum += (double)Ax[jj] * (double)x[Aj[jj]];
    for (int delta = WARP >> 1; delta; delta >>= 1)
        sum += __shfl_down_sync(~0u, sum, delta);
    if (!threadIdx.x)
        y[row] = (float)sum;
}
