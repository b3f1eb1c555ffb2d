//! task spmv
// The last to come sums up, and the count is by warps of which some never count.
//! scratch part f32[rows] zero
//! scratch count i32[1] zero
//! launch k<<<ceil_div(nnz, 1024) + (1 - min(nnz, 1)), 128>>>(rows, nnz, csr.row_ptr, csr.col, csr.val, x, y, part, count)
extern "C" __global__ void k(int rows, int nnz, const int* ptr, const int* col, const float* val, const float* x, float* y,
                             float* part, int* count) {
    __shared__ bool last;
    for (int i = blockIdx.x * 1024 + threadIdx.x; i < min(nnz, (int)blockIdx.x * 1024 + 1024); i += 128) {
        int lo = 0, hi = rows;
        while (lo + 1 < hi) { int m = (lo + hi) / 2; if (ptr[m] <= i) lo = m; else hi = m; }
        atomicAdd(part + lo, val[i] * x[col[i]]);
    }
    __threadfence();
    // Thread 0 counts before the other warps of its block are through.
    if (threadIdx.x == 0) last = atomicAdd(count, 1) == gridDim.x - 1;
    __syncthreads();
    if (last) for (int r = threadIdx.x; r < rows; r += 128) y[r] = atomicAdd(part + r, 0.0f);
}
