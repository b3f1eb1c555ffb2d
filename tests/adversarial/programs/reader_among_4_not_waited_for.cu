//! task spmv
// Warp 2 may still read m when warp 0 overwrites it: the barrier waits for warps 1 and 3 only.
//! launch k<<<ceil_div(rows,128), 128>>>(rows, csr.row_ptr, csr.col, csr.val, x, y)
extern "C" __global__ void k(int rows, const int* ptr, const int* col, const float* val, const float* x, float* y) {
    __shared__ float m;
    int r = blockIdx.x * 128 + threadIdx.x, w = threadIdx.x / 32;
    float s = 0;
    if (r < rows) for (int j = ptr[r]; j < ptr[r + 1]; ++j) s += val[j] * x[col[j]];
    if (threadIdx.x == 0) m = 1;
    __syncthreads();
    float m1 = m;
    if (w != 2) asm volatile("bar.sync 1, 96;" ::: "memory");
    if (threadIdx.x == 0) m = 2;
    __syncthreads();
    float m2 = m;
    if (r < rows) y[r] = s * m1 * (m2 * 0.5f);
}
