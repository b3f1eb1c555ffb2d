//! task spmv
// Warp 15 may still read m when warp 0 overwrites it: in one block the barrier waits for the other 31 only.
//! launch k<<<ceil_div(rows,1024), 1024>>>(rows, csr.row_ptr, csr.col, csr.val, x, y)
extern "C" __global__ void k(int rows, const int* ptr, const int* col, const float* val, const float* x, float* y) {
    __shared__ float m;
    int r = blockIdx.x * 1024 + threadIdx.x, w = threadIdx.x / 32;
    float s = 0;
    if (r < rows) for (int j = ptr[r]; j < ptr[r + 1]; ++j) s += val[j] * x[col[j]];
    if (threadIdx.x == 0) m = 1;
    __syncthreads();
    float m1 = m;
    if (blockIdx.x == 0) {
        if (w != 15) asm volatile("bar.sync 1, 992;" ::: "memory");
    } else __syncthreads();
    if (threadIdx.x == 0) m = 2;
    __syncthreads();
    float m2 = m;
    if (r < rows) y[r] = s * m1 * (m2 * 0.5f);
}
